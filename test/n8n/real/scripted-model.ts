import { serve } from '../server-for-tests.ts';

interface ChatRequest {
  readonly messages: readonly { role: string; content: unknown }[];
  readonly tools?: readonly {
    function: { name: string; parameters: { properties: Record<string, unknown> } };
  }[];
}

/**
 * A model behind OpenAI's chat completions that asks for the first tool it is offered, once for each of the given
 * arguments and all at once, and then says that it is done.
 */
export async function scriptedModel(toolCalls: readonly Record<string, unknown>[]) {
  const requests: ChatRequest[] = [];
  const server = await serve(async ({ body }) => {
    const request = JSON.parse(String(body)) as ChatRequest;
    requests.push(request);
    const hasResults = request.messages.some(({ role }) => role === 'tool');
    const name = request.tools?.[0]?.function.name;
    const message = hasResults
      ? { role: 'assistant', content: 'Done.' }
      : {
          role: 'assistant',
          content: null,
          tool_calls: toolCalls.map((args, index) => ({
            id: `tool_call_${index}`,
            type: 'function',
            function: { name, arguments: JSON.stringify(args) },
          })),
        };
    return {
      status: 200,
      body: {
        id: `chatcmpl-${requests.length}`,
        object: 'chat.completion',
        created: 0,
        model: 'scripted',
        choices: [{ index: 0, message, finish_reason: hasResults ? 'stop' : 'tool_calls' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      },
    };
  });
  return { ...server, requests };
}
