import * as z from 'zod';

const text = (maximum: number) => z.string().trim().min(1).max(maximum);
const resourceName = z.string().min(1).max(64);

/** One thing the agent does, in order. `when` makes the step conditional, in words the agent can judge. */
export const workflowStep = z.strictObject({
  title: text(200).describe('Short name of the step, different from those of the other steps'),
  instruction: text(2000).describe(
    'What the agent does in this step, as you would explain it to a colleague',
  ),
  when: text(500)
    .optional()
    .describe('Condition under which the agent takes the step, in plain words; it always does when absent')
    .meta({ examples: ['The person wants another time'] }),
});

const agent = z.strictObject({
  name: text(80)
    .optional()
    .describe('Name the agent goes by. It introduces itself as an AI assistant in any case')
    .meta({ examples: ['Robin'] }),
  onBehalfOf: text(120)
    .optional()
    .describe(
      'Whom the agent calls for, as it says in its opening line; the name of the organization when absent',
    )
    .meta({ examples: ['Example Dental'] }),
  voice: text(120)
    .optional()
    .describe(
      "Voice of the carrier's text-to-speech, by the carrier's own id, for calls in `relay` mode; the carrier's usual voice when absent",
    ),
});

const voice = z.strictObject({
  mode: z
    .enum(['relay', 'realtime'])
    .optional()
    .describe(
      '`relay`: the carrier turns speech into text and text into speech, and a text model does the thinking. `realtime`: one speech model hears, thinks and speaks. The setting of the server when absent',
    ),
  speaker: text(120)
    .optional()
    .describe(
      "Voice of the speech model, by the model's own name, for calls in `realtime` mode; the setting of the server when absent",
    ),
});

const abilities = z.strictObject({
  keypad: z.boolean().default(false).describe('Whether the agent may press keys, to get through phone menus'),
  transfer: z
    .array(resourceName)
    .max(10)
    .default([])
    .describe('Ids of the transfer integrations through which the agent may hand the call over to a person'),
});

const voicemail = z.strictObject({
  message: text(1000)
    .optional()
    .describe(
      'What the agent leaves after the beep, once it has said who is calling. Nothing is left when absent, unless `generate` is on',
    )
    .meta({ examples: ['Your appointment is tomorrow at 10 am. Please call us back if you cannot come.'] }),
  generate: z
    .boolean()
    .optional()
    .describe(
      'Whether a message is written for each call before it is dialed. `message` is left when that fails. Off when absent',
    ),
});

const recording = z.strictObject({
  mode: z
    .enum(['off', 'announce', 'ask'])
    .default('off')
    .describe(
      '`off`: nothing is recorded. `announce`: the opening line says that the call is recorded, and it is until the person objects. `ask`: the opening line asks, and nothing is recorded before a clear yes. Where the law wants everybody on the line to agree, `announce` counts as `ask`',
    ),
  retentionDays: z
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('After how many days a recording is deleted at the carrier'),
});

const endRules = z.strictObject({
  maximumDurationSeconds: z
    .int()
    .min(30)
    .max(3600)
    .default(600)
    .describe(
      'Longest a call may last, in seconds. The carrier ends it at this point, whatever is being said',
    ),
  silenceSeconds: z
    .int()
    .min(3)
    .max(60)
    .default(8)
    .describe(
      'After how many seconds of silence the agent asks whether the person is still there. The call ends when they stay silent',
    ),
});

const dialing = z.strictObject({
  ringSeconds: z
    .int()
    .min(5)
    .max(120)
    .default(30)
    .describe('How long the phone may ring, in seconds, before the call ends as not picked up'),
  detectMachine: z
    .boolean()
    .default(true)
    .describe(
      'Whether the carrier also judges who answered, a person or a machine. The agent listens for that in any case',
    ),
});

const web = z.strictObject({
  variables: z
    .array(text(64))
    .max(30)
    .default([])
    .describe('Names of the `variables` that a page may give the agent about its visitor; others are dropped')
    .meta({ examples: [['plan', 'cart_total']] }),
});

const metadata = z.looseObject({
  webhooks: z
    .array(resourceName)
    .max(10)
    .optional()
    .describe("Ids of the webhook integrations that get the results of this workflow's calls"),
});

const languageTag = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'a BCP-47 language tag such as en-US');

/**
 * What an agent does on a call. Stored as versioned JSON; a call keeps the version it was accepted with
 * (prompt calls: the version generated for them).
 */
export const workflowDefinition = z.strictObject({
  language: languageTag
    .default('en-US')
    .describe(
      'Language the agent speaks, as a BCP-47 tag. Fixed phrases such as the opening line exist in English, Spanish, German, French, Italian, Portuguese and Dutch; they are in English otherwise',
    ),
  languages: z
    .array(languageTag)
    .max(6)
    .default([])
    .describe(
      'Other languages the agent may change to when the person speaks one of them or asks for it, as BCP-47 tags. Without any it keeps to `language`',
    )
    .meta({ examples: [['es-US']] }),
  agent: agent.default({}).describe('Who calls'),
  voice: voice.default({}).describe('How speech is made and understood'),
  objective: text(4000)
    .describe('What the call is for, in one or a few sentences')
    .meta({ examples: ['Remind the person of the appointment and ask whether they will come.'] }),
  purpose: text(300)
    .optional()
    .describe(
      'Why the agent calls, in one sentence it may say to an assistant that screens calls; the opening when absent',
    )
    .meta({ examples: ['It is about the check-up tomorrow.'] }),
  opening: text(500)
    .optional()
    .describe(
      'First sentence after the line in which the agent says what it is and whom it calls for; it finds its own when absent',
    )
    .meta({ examples: ['I am calling about your appointment tomorrow.'] }),
  facts: z
    .array(text(500))
    .max(50)
    .default([])
    .describe('What the agent may state when asked, one fact each. It invents no others')
    .meta({ examples: [['The practice is open from 8 am to 5 pm.']] }),
  steps: z.array(workflowStep).max(30).default([]).describe('What the agent does, in this order'),
  forms: z
    .array(resourceName)
    .max(5)
    .default([])
    .describe('Ids of the forms the agent fills in. A call keeps the versions it was accepted with'),
  tools: z
    .array(resourceName)
    .max(20)
    .default([])
    .describe('Names of the custom tools of this server that the agent may use'),
  abilities: abilities.default({ keypad: false, transfer: [] }).describe('What else the agent may do'),
  voicemail: voicemail.default({}).describe('What happens when a mailbox answers'),
  recording: recording
    .default({ mode: 'off', retentionDays: 30 })
    .describe('Whether the call is recorded, and for how long the recording is kept'),
  endRules: endRules
    .default({ maximumDurationSeconds: 600, silenceSeconds: 8 })
    .describe('When the call is ended, apart from the agent and the person saying goodbye'),
  dialing: dialing.default({ ringSeconds: 30, detectMachine: true }).describe('How the number is dialed'),
  web: web.default({ variables: [] }).describe('For calls that visitors start from a web page'),
  metadata: metadata
    .default({})
    .describe('Settings around the call, and any JSON of your own: at most 200 keys and 32 levels'),
});

export type WorkflowDefinition = z.infer<typeof workflowDefinition>;
export type WorkflowDefinitionInput = z.input<typeof workflowDefinition>;
