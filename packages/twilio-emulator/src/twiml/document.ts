import { SaxesParser } from 'saxes';

/** An element of an instruction document. */
export interface TwimlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: TwimlElement[];
  /** Text of the element and of everything inside it. */
  text: string;
}

/**
 * Parses an instruction document.
 *
 * @returns the verbs of `<Response>` in order
 * @throws Error when the XML is not well-formed or its root is not `<Response>`
 */
export function parseTwiml(xml: string): TwimlElement[] {
  const stack: TwimlElement[] = [];
  let root: TwimlElement | undefined;
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    const element: TwimlElement = { name: tag.name, attributes: tag.attributes, children: [], text: '' };
    const parent = stack.at(-1);
    if (parent) parent.children.push(element);
    else root = element;
    stack.push(element);
  });
  parser.on('closetag', () => {
    const closed = stack.pop();
    const parent = stack.at(-1);
    if (closed && parent) parent.text += closed.text;
  });
  const addText = (text: string) => {
    const element = stack.at(-1);
    if (element) element.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(xml).close();
  if (root?.name !== 'Response') throw new Error('the root element must be <Response>');
  return root.children;
}
