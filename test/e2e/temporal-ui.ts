// The forms of Temporal's UI, by the requests that they send to its server.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';

interface Target {
  readonly uiPort: number;
  readonly namespace: string;
  readonly workflowId: string;
}

/** The form "Send a Signal". */
export async function signalByUi(target: Target, name: string, payload: unknown): Promise<void> {
  const { workflowId } = target;
  await post(target, `signal/${name}`, {
    signalName: name,
    input: { payloads: [encoded(payload)] },
    workflowExecution: { workflowId, runId: '' },
  });
}

/** The form "Send an Update"; what the workflow answered. */
export async function updateByUi(target: Target, name: string, payload: unknown): Promise<unknown> {
  const answer = updatedSchema.parse(
    await post(target, `update/${name}`, {
      workflowExecution: { runId: '' },
      request: {
        meta: { updateId: randomUUID(), identity: 'ui' },
        input: { args: { payloads: [encoded(payload)] } },
      },
    }),
  );
  const [first] = answer.outcome.success.payloads;
  return JSON.parse(Buffer.from(first?.data ?? '', 'base64').toString());
}

const updatedSchema = z.object({
  outcome: z.object({ success: z.object({ payloads: z.array(z.object({ data: z.string() })) }) }),
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const encoded = (value: unknown) => ({
  metadata: { encoding: base64('json/plain') },
  data: base64(JSON.stringify(value)),
});

async function post(target: Target, action: string, body: object): Promise<unknown> {
  const { uiPort, namespace, workflowId } = target;
  const origin = `http://127.0.0.1:${uiPort}`;
  const page = await fetch(origin);
  const cookie = page.headers.getSetCookie().find((one) => one.startsWith('_csrf='));
  const token = /^_csrf=([^;]*)/.exec(cookie ?? '')?.[1] ?? '';
  const path = `/api/v1/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}/${action}`;
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      cookie: `_csrf=${token}`,
      'x-csrf-token': token,
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
