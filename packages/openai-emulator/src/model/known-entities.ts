import { type EntityKind, firstOf } from './entities.ts';
import type { Blank } from './fill-schema.ts';

const KINDS: [RegExp, EntityKind[]][] = [
  [/e_?mail/, ['email']],
  [/phone|mobile|(?:callback|telephone|contact)_number/, ['phone']],
  [/price|amount|cost|fee|total|balance|budget/, ['amount']],
  [/address|street/, ['address']],
  [/date_?time|when|slot|appointment$/, ['date', 'time']],
  [/date|day/, ['date']],
  [/time|hour/, ['time']],
  [/guests|people|party|quantity|count|number_of|how_many|seats|nights/, ['quantity']],
  [/(?:^|_)(?:name|who|person|customer|callee|recipient|contact)(?:_name)?$/, ['name']],
];

export const NUMBER_WORDS: Record<string, string> = {
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  twelve: '12',
};

/** What a text says about a blank whose name asks for a date, a time, an amount and the like. */
export function entityValue({ name, schema }: Blank, text: string): string | undefined {
  if (schema.enum) return mentionedOption(schema.enum, text);
  const kinds = KINDS.find(([pattern]) => pattern.test(name))?.[1];
  if (!kinds) return undefined;
  const values = kinds.map((kind) => firstOf(text, kind)).filter((value) => value !== undefined);
  if (values.length === 0) return undefined;
  return kinds[0] === 'quantity'
    ? (NUMBER_WORDS[values[0]?.split(' ')[0] ?? ''] ?? values[0])
    : values.join(' ');
}

function mentionedOption(options: unknown[], text: string): string | undefined {
  const said = text.toLowerCase();
  return options.find(
    (option): option is string =>
      typeof option === 'string' &&
      option.length > 1 &&
      said.includes(option.toLowerCase().replaceAll(/[_-]/g, ' ')),
  );
}
