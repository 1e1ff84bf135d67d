// The answers to the calls of the last reply of a transcript, and whether the inquiry ends with them.
import type {
  Closing,
  ModelReply,
  ToolAnswer,
  ToolCall,
  TranscriptLink,
  TranscriptMessage,
} from '../../core/schemas/inquiry.ts';
import type { Intervention } from '../../core/schemas/intervention.ts';
import { judgeSubmission, type SubmissionContext } from './judge-submission.ts';
import { SUBMIT_TOOL } from './tools.ts';

export type LookContext = Omit<SubmissionContext, 'feedback'>;

export interface Answered {
  readonly answers: TranscriptMessage;
  readonly closed: Closing | null;
  readonly offers: readonly Intervention[];
}

const ANSWER_MAX = 8000;
/** Of one reply; what comes after is not answered. */
const CALLS_MAX = 8;
/** Faults of one inquiry: unknown tools, malformed arguments, replies without a call. */
const FAULTS_MAX = 6;

/** Throws RangeError if the last link is no reply. */
export function answerCalls(links: readonly TranscriptLink[], context: LookContext): Answered {
  const last = links.at(-1)?.message;
  if (last?.role !== 'model') throw new RangeError('the last link of the transcript is no reply');
  const { reply, request } = last;
  const calls = reply.content.filter((part): part is ToolCall => part.type === 'call');
  const isLast = request.onlyTool !== null;
  if (calls.length === 0) return withoutCalls(links, reply, isLast);
  const answers: ToolAnswer[] = [];
  let closed: Closing | null = null;
  let offers: readonly Intervention[] = [];
  for (const [index, call] of calls.entries()) {
    const answer = (text: string, isFault: boolean): void => {
      answers.push({ call: call.id, tool: call.tool, text, isFault });
    };
    if (closed !== null) {
      answer('the inquiry has ended', true);
    } else if (index >= CALLS_MAX) {
      answer(`at most ${CALLS_MAX} calls in one reply: call again`, true);
    } else if (call.tool !== SUBMIT_TOOL) {
      answer(
        `there is no tool ${JSON.stringify(call.tool.slice(0, 40))}; there is ${SUBMIT_TOOL}`,
        true,
      );
    } else {
      const { interventions, faults } = judgeSubmission(call.input, {
        ...context,
        feedback: feedbackIn(links),
      });
      const isAccepted = faults.length === 0 || isLast;
      answer(
        verdictText(interventions, faults, isAccepted).slice(0, ANSWER_MAX),
        faults.length > 0,
      );
      if (isAccepted) {
        closed = interventions.length > 0 ? 'submitted' : 'nothing';
        offers = interventions;
      }
    }
  }
  const message: TranscriptMessage = { role: 'tools', answers };
  return { answers: message, closed: closed ?? endOf(links, message, isLast), offers };
}

/** Digests of the designs that people sent feedback for. */
const feedbackIn = (links: readonly TranscriptLink[]): string[] =>
  links.flatMap(({ message }) =>
    message.role === 'user' && message.feedback !== undefined ? [message.feedback] : [],
  );

function verdictText(
  interventions: readonly Intervention[],
  faults: readonly string[],
  isAccepted: boolean,
): string {
  const taken = interventions.map(({ operator }) => operator).join(', ') || 'nothing';
  if (isAccepted) return [`accepted: ${taken}`, ...faults].join('\n');
  return [...faults, 'Nothing was accepted. Correct this and submit again.'].join('\n');
}

const NUDGES: Readonly<Record<ModelReply['finish'], string>> = {
  length: 'The reply was cut off at its limit. Be brief, and call a tool.',
  filter: 'The reply was withheld. Call `submit` with a reason if you propose nothing.',
  stop: 'Call a tool. To end without a change, call `submit` with the reason.',
  calls: 'Call a tool. To end without a change, call `submit` with the reason.',
  other: 'Call a tool. To end without a change, call `submit` with the reason.',
};

/** Told once; a second reply without a call in a row ends the inquiry. */
function withoutCalls(
  links: readonly TranscriptLink[],
  reply: ModelReply,
  isLast: boolean,
): Answered {
  const message: TranscriptMessage = { role: 'user', text: NUDGES[reply.finish] };
  const before = links.findLast(
    (link, index) => index < links.length - 1 && link.message.role === 'model',
  );
  const isSecond = before?.message.role === 'model' && !hasCalls(before.message.reply);
  const ended = reply.finish === 'length' ? 'faults' : 'nothing';
  const closed = isSecond ? ended : isLast ? 'turns' : null;
  return { answers: message, closed, offers: [] };
}

const hasCalls = ({ content }: ModelReply): boolean => content.some(({ type }) => type === 'call');

function endOf(
  links: readonly TranscriptLink[],
  newest: TranscriptMessage,
  isLast: boolean,
): Closing | null {
  const faults = [...links.map(({ message }) => message), newest]
    .flatMap((message) => (message.role === 'tools' ? message.answers : []))
    .filter(({ isFault }) => isFault).length;
  if (faults >= FAULTS_MAX) return 'faults';
  return isLast ? 'turns' : null;
}
