import type { Callkite, Page, PageRequest, PublishableKey } from '@callkite/core';

/** What the demonstration page shows: a key for it, and the workflow its visitors start. */
export interface VisitorDemo {
  readonly organizationId: string;
  readonly key: string;
  readonly workflowId: string;
}

type Parts = Pick<Callkite, 'publishableKeys' | 'workflows'>;

const keyName = 'Widget demonstration';
const pageSize = 100;

const workflow = {
  name: 'Website visitors',
  definition: {
    agent: { name: 'Robin', onBehalfOf: 'Example Dental' },
    objective: 'Answer the questions of visitors of the practice, and take requests for appointments.',
    opening: 'How can I help?',
    facts: [
      'We are open Monday to Friday from 8 am to 6 pm, and Saturday from 9 am to 1 pm.',
      'You will find us at 100 Example Avenue.',
      'A check-up takes half an hour and costs $80.',
      'You can park for free behind the building.',
      'New patients are welcome, and so are children.',
      'In an emergency, come in right away during opening hours; no appointment is needed.',
    ],
    steps: [
      {
        title: 'Find a time',
        instruction: 'Ask which day and time would suit them best.',
        when: 'they want to make, book, move, change or cancel an appointment',
      },
      {
        title: 'Take the name',
        instruction: 'Ask for their name.',
        when: 'they want to make, book, move, change or cancel an appointment',
      },
    ],
  },
};

/** The demonstration of an organization, as far as it has one. @returns `null` when it has none */
async function demoOf(parts: Parts, organizationId: string): Promise<[PublishableKey, string] | null> {
  const existing = new Set(
    (await parts.workflows.summaries({ organizationId, mode: 'live' })).map(({ id }) => id),
  );
  const keys = await all((page) => parts.publishableKeys.list(organizationId, page));
  // The first one was printed at the first start.
  for (const key of keys.toReversed()) {
    const workflowId = key.workflowIds.find((id) => existing.has(id));
    const isUsable = key.name === keyName && key.mode === 'test' && key.revokedAt === null;
    if (isUsable && workflowId !== undefined) return [key, workflowId];
  }
  return null;
}

/**
 * Gives an organization what the demonstration page needs, unless it has it. Its calls are test calls: whatever a
 * visitor asks for, no real phone rings.
 * @param urls addresses of this server under which its demonstration page is opened
 */
export async function setUpVisitorDemo(
  parts: Parts,
  organizationId: string,
  urls: readonly string[],
): Promise<VisitorDemo> {
  const origins = [...new Set(urls.map((url) => new URL(url).origin))];
  const found = await demoOf(parts, organizationId);
  if (found) {
    const [key, workflowId] = found;
    const allowedOrigins = [...new Set([...key.allowedOrigins, ...origins])];
    if (allowedOrigins.length > key.allowedOrigins.length)
      await parts.publishableKeys.update(organizationId, key.id, { allowedOrigins });
    return { organizationId, key: key.key, workflowId };
  }
  const { id: workflowId } = await parts.workflows.create({ organizationId, mode: 'live' }, workflow);
  const { key } = await parts.publishableKeys.create(organizationId, {
    mode: 'test',
    name: keyName,
    allowedOrigins: origins,
    workflowIds: [workflowId],
    callbackCountries: ['US'],
  });
  return { organizationId, key: key.key, workflowId };
}

/** The demonstration of this server: that of the organization which has one, else a new one of the oldest. */
export async function visitorDemo(
  callkite: Parts & Pick<Callkite, 'organizations'>,
  urls: readonly string[],
): Promise<VisitorDemo | null> {
  const oldestFirst = (await all((page) => callkite.organizations.list(page))).toReversed();
  for (const { id } of oldestFirst) {
    if (await demoOf(callkite, id)) return setUpVisitorDemo(callkite, id, urls);
  }
  const [oldest] = oldestFirst;
  return oldest ? setUpVisitorDemo(callkite, oldest.id, urls) : null;
}

async function all<Item>(list: (page: PageRequest) => Promise<Page<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await list({ limit: pageSize, cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}
