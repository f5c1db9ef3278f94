import type { Callkite, EmulatedAccount, Mode } from '@callkite/core';
import { setUpVisitorDemo } from './visitor-demo.ts';

export interface FirstStart {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly workflowId: string;
  /** Shown now and never again. */
  readonly keys: { readonly live: string; readonly test: string };
  /** Of the demonstration page. */
  readonly publishableKey: string;
}

const appointmentReminder = {
  name: 'Appointment reminder',
  definition: {
    agent: { name: 'Robin', onBehalfOf: 'Example Dental' },
    objective:
      'Remind the patient of the dental appointment tomorrow at 10 am and find out whether they will come.',
    opening: 'I am calling about your appointment tomorrow at 10 am.',
    facts: ['The practice is at 100 Example Avenue.', 'An appointment can be moved free of charge.'],
    steps: [
      {
        title: 'Confirm',
        instruction: 'Ask whether the patient will come to the appointment tomorrow at 10 am.',
      },
      {
        title: 'Reschedule',
        instruction: 'Ask which day and time would suit better, and say that the practice will confirm it.',
        when: 'the patient cannot come',
      },
      { title: 'Close', instruction: 'Thank the patient and say goodbye.' },
    ],
    voicemail: { message: 'This is a reminder of your appointment at Example Dental tomorrow at 10 am.' },
  },
};

/**
 * Fills an empty store with what a first try needs: an organization, numbers of the emulated network, a workflow and
 * keys. An earlier first start that was cut short is completed.
 * @param emulated account of the emulated network on which live calls go out; `null` where a real carrier carries them
 * @param pageUrls addresses of this server under which its demonstration page is opened
 * @returns `null` when the store is in use already
 */
export async function firstStart(
  callkite: Pick<Callkite, 'organizations' | 'workflows' | 'publishableKeys'>,
  emulated: EmulatedAccount | null,
  pageUrls: readonly string[],
): Promise<FirstStart | null> {
  const firstPage = { limit: 1, cursor: null };
  const [existing] = (await callkite.organizations.list(firstPage)).items;
  if (existing) {
    const keys = await callkite.organizations.listApiKeys(existing.id, firstPage);
    if (keys.items.length > 0) return null;
  }
  const organization = existing ?? (await callkite.organizations.create({ name: 'My organization' }));
  const live = { organizationId: organization.id, mode: 'live' } as const;
  if (emulated !== null) {
    const { accountId, secret, phoneNumber } = emulated;
    const connection = await callkite.organizations.connectCarrier(live, { accountId, secret });
    await callkite.organizations.connectNumber(live, connection.id, phoneNumber);
  }
  // First, so that the sample is the newest workflow.
  const demo = await setUpVisitorDemo(callkite, organization.id, pageUrls);
  const workflows = await callkite.workflows.summaries(live);
  const { id: workflowId } =
    workflows.find(({ name }) => name === appointmentReminder.name) ??
    (await callkite.workflows.create(live, appointmentReminder));
  const key = async (mode: Mode) =>
    (await callkite.organizations.createApiKey(organization.id, { mode, name: 'First start' })).key;
  return {
    organizationId: organization.id,
    organizationName: organization.name,
    workflowId,
    keys: { live: await key('live'), test: await key('test') },
    publishableKey: demo.key,
  };
}
