// SmolLM2-135M behind OpenAI's form, on the CPU: node test/live/serve.mjs MODEL.gguf [--port N]. Each reply is one call
// of a tool, and the same request gets the same reply.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { callSchema } from './reply-grammar.mjs';

const NAME = 'smollm2-135m-instruct-q4_1';
// Half as much again as the model was trained on, because the brief of a repository's campaign needs a little more.
const CONTEXT = 12_288;
const TEMPERATURE = 0.7;
// Installed by this folder's own lock, which the checks of the repository do not install.
const PACKAGE = 'node-llama-cpp';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: '8090' } },
});
const [modelPath] = positionals;
if (modelPath === undefined) throw new Error('give the model: node test/live/serve.mjs MODEL.gguf');
const { getLlama, LlamaCompletion } = await import(PACKAGE);
const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error', maxThreads: 2 });
const model = await llama.loadModel({ modelPath });
const context = await model.createContext({ contextSize: CONTEXT, threads: 2 });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });

/** @typedef {{id: string, function: {name: string, arguments: string}}} Call */
/** @typedef {{role: string, content?: string | null, tool_calls?: readonly Call[]}} Message */
/** @typedef {{function: import('./reply-grammar.mjs').Tool}} ToolEntry */
/**
 * @typedef {object} Asked
 * @property {readonly Message[]} messages
 * @property {readonly ToolEntry[]} tools
 * @property {{function?: {name: string}} | string} [tool_choice]
 * @property {number} [max_tokens]
 */

const marked = (/** @type {string} */ text) => model.tokenize(text, true);
/** Of a part that somebody else wrote: no text of it can be a mark. */
const plain = (/** @type {string} */ text) => model.tokenize(text, false);

/** In the form that the model was taught. @param {Asked} asked @returns {number[]} */
function promptOf({ messages, tools }) {
  const listed = tools.map(({ function: { name, description } }) => `- ${name}: ${description}`);
  const how = `Tools:\n${listed.join('\n')}\nAnswer with one JSON object: {"tool": NAME, "input": {…}}`;
  const turns = messages.map(({ role, content, tool_calls: calls = [] }, index) => {
    const called = calls.map(({ function: { name, arguments: input } }) =>
      JSON.stringify({ tool: name, input }),
    );
    const text = [content ?? '', ...called, ...(index === 0 ? [how] : [])].join('\n').trim();
    const who = role === 'tool' ? 'user' : role;
    return [...marked(`<|im_start|>${who}\n`), ...plain(text), ...marked('<|im_end|>\n')];
  });
  return [...turns.flat(), ...marked('<|im_start|>assistant\n')];
}

/** @param {Asked} asked @param {AbortSignal} signal */
async function replyTo(asked, signal) {
  const { tools, tool_choice: choice, max_tokens: most = 400 } = asked;
  const only = typeof choice === 'object' ? choice.function?.name : undefined;
  const allowed = tools.map((tool) => tool.function).filter(({ name }) => !only || name === only);
  const prompt = promptOf(asked);
  if (prompt.length + most > CONTEXT) {
    const error = `the prompt has ${prompt.length} tokens and the context ${CONTEXT}`;
    return { status: 400, body: { error: { message: error } } };
  }
  const digest = createHash('sha256').update(JSON.stringify(asked)).digest();
  let written = 0;
  const { response, metadata } = await completion.generateCompletionWithMeta(prompt, {
    grammar: await llama.createGrammarForJsonSchema(callSchema(allowed)),
    maxTokens: most,
    temperature: TEMPERATURE,
    seed: digest.readUInt32LE(0),
    signal,
    onToken: (/** @type {readonly number[]} */ tokens) => (written += tokens.length),
  });
  const usage = { prompt_tokens: prompt.length, completion_tokens: written };
  return { status: 200, body: completionOf(response, metadata.stopReason, digest, usage) };
}

/** @param {string} text @param {string} stopped @param {Buffer} digest @param {object} usage */
function completionOf(text, stopped, digest, usage) {
  const id = digest.toString('hex').slice(0, 12);
  const call = parsed(text);
  const message = call
    ? {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: `call_${id}`,
            type: 'function',
            function: { name: call.tool, arguments: JSON.stringify(call.input) },
          },
        ],
      }
    : { role: 'assistant', content: text };
  const finish = stopped === 'maxTokens' ? 'length' : call ? 'tool_calls' : 'stop';
  return {
    id: `reply-${id}`,
    object: 'chat.completion',
    created: 0,
    model: NAME,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage,
  };
}

/** Null for a reply that was cut off. @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** One after the other: they share a context. @type {Promise<unknown>} */
let before = Promise.resolve();
const server = createServer((request, response) => {
  // Whoever went away waits no longer, and must not hold up those who do.
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const answer = before.then(async () => {
    const asked = /** @type {Asked} */ (await json(request));
    const { status, body } = await replyTo(asked, gone.signal);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  before = answer.catch((error) => {
    process.stderr.write(`${String(error)}\n`);
    response.destroy();
  });
});
server.listen(Number(values.port), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`model at http://127.0.0.1:${port}/v1\n`);
});
