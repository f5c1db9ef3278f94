import * as z from 'zod';

const text = (maximum: number) => z.string().trim().min(1).max(maximum);

/** One thing the agent does, in order. `when` makes the step conditional, in words the agent can judge. */
export const workflowStep = z.strictObject({
  title: text(200),
  instruction: text(2000),
  when: text(500).optional(),
});

/**
 * What an agent does on a call. Stored as versioned JSON; a call keeps the version it was accepted with
 * (prompt calls: the version generated for them).
 */
export const workflowDefinition = z.strictObject({
  /** BCP-47 tag of the language the agent speaks. */
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'a BCP-47 language tag such as en-US')
    .default('en-US'),
  agent: z
    .strictObject({
      /** Name the agent introduces itself with. */
      name: text(80).optional(),
      /** Who it calls for; defaults to the organization's name. */
      onBehalfOf: text(120).optional(),
      /** Voice id of the carrier's text-to-speech provider. */
      voice: text(120).optional(),
    })
    .default({}),
  voice: z
    .strictObject({
      /**
       * `relay`: the carrier hears and speaks, a text model thinks. `realtime`: a speech model hears and speaks.
       * The server decides when absent.
       */
      mode: z.enum(['relay', 'realtime']).optional(),
      /** Voice of the speech model, for `realtime`. */
      speaker: text(120).optional(),
    })
    .default({}),
  /** What the call is for, in one or a few sentences. */
  objective: text(4000),
  /** Why the agent calls, in a sentence it may say to an assistant that screens calls. @default the opening */
  purpose: text(300).optional(),
  /** First sentence after the disclosure; the agent finds its own when absent. */
  opening: text(500).optional(),
  /** Facts the agent may state when asked. */
  facts: z.array(text(500)).max(50).default([]),
  steps: z.array(workflowStep).max(30).default([]),
  /** Ids of the forms the agent fills in. Each call keeps the versions it was accepted with. */
  forms: z.array(z.string().min(1).max(64)).max(5).default([]),
  /** Names of the tools of this server that the agent may use. */
  tools: z.array(z.string().min(1).max(64)).max(20).default([]),
  abilities: z
    .strictObject({
      /** Whether the agent may press keys, as in a phone menu. */
      keypad: z.boolean().default(false),
      /** Ids of the transfer integrations the agent may hand the call over to. */
      transfer: z.array(z.string().min(1).max(64)).max(10).default([]),
    })
    .default({ keypad: false, transfer: [] }),
  voicemail: z
    .strictObject({
      /** Left after the beep; nothing is left when absent, unless one is generated. */
      message: text(1000).optional(),
      /** Write a message for each call before it is dialled; `message` is left when that fails. */
      generate: z.boolean().optional(),
    })
    .default({}),
  recording: z
    .strictObject({
      /**
       * `announce`: the opening line says that the call is recorded, and it is until the callee objects.
       * `ask`: the opening line asks, and nothing is recorded before a clear yes.
       * Where everybody on the line has to agree to a recording, `announce` counts as `ask`.
       */
      mode: z.enum(['off', 'announce', 'ask']).default('off'),
      /** Days after which a recording is deleted at the carrier. */
      retentionDays: z.int().min(1).max(3650).default(30),
    })
    .default({ mode: 'off', retentionDays: 30 }),
  endRules: z
    .strictObject({
      /** The call is ended at this age, by us and by the carrier. */
      maximumDurationSeconds: z.int().min(30).max(3600).default(600),
      /** Silence after which the agent asks once whether the callee is still there, then ends. */
      silenceSeconds: z.int().min(3).max(60).default(8),
    })
    .default({ maximumDurationSeconds: 600, silenceSeconds: 8 }),
  dialing: z
    .strictObject({
      /** Seconds the phone may ring. */
      ringSeconds: z.int().min(5).max(120).default(30),
      /** Ask the carrier whether a machine answered. */
      detectMachine: z.boolean().default(true),
    })
    .default({ ringSeconds: 30, detectMachine: true }),
  /** Of calls that visitors start from a web page. */
  web: z
    .strictObject({
      /** Names of what the page may tell the agent about the visitor. */
      variables: z.array(text(64)).max(30).default([]),
    })
    .default({ variables: [] }),
  metadata: z
    .looseObject({
      /** Ids of the webhook integrations that receive the results of this workflow's calls. */
      webhooks: z.array(z.string().min(1).max(64)).max(10).optional(),
    })
    .default({}),
});

export type WorkflowDefinition = z.infer<typeof workflowDefinition>;
export type WorkflowDefinitionInput = z.input<typeof workflowDefinition>;
