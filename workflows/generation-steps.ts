// The one way to run anything in a generation: it knows step names, redo, progress, pauses and the ledger.
import { CancellationScope } from '@temporalio/workflow';
import type { Accumulated } from '../activities/accumulate.ts';
import type { Activities } from '../activities/index.ts';
import type { Revised } from '../activities/revise.ts';
import { waitingKey } from '../core/campaign.ts';
import type { GivenDraft } from '../core/drafts.ts';
import type {
  GateVerdict,
  GenerationInput,
  GenerationResult,
  Instructions,
  Screening,
} from '../core/generation.ts';
import { workflowIds } from '../core/ids.ts';
import type { JobPlan, StepJob } from '../core/job-plan.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { Intervention } from '../core/schemas/intervention.ts';
import { type StepName, type StepPart, stepOf } from '../core/steps.ts';
import { activity } from './activity.ts';
import { asFailure } from './failures.ts';
import { GenerationProgress } from './generation-progress.ts';
import { followParent, instruct, type ParentInstructions } from './instructions.ts';
import { LedgerOutbox } from './ledger-outbox.ts';
import { type JobContext, requireJob } from './run-job.ts';

/** Fields that every step's activity gets from here. */
interface StepBase {
  readonly scope: GenerationInput['scope'];
  readonly context: ArtifactRef;
  readonly redo: number;
}
type StepActivity = {
  [Name in keyof Activities]: Parameters<Activities[Name]>[0] extends StepBase ? Name : never;
}[keyof Activities] &
  (StepName | StepPart);
type StepInput<Name extends StepActivity> = Omit<Parameters<Activities[Name]>[0], keyof StepBase>;

export class GenerationSteps {
  readonly input: GenerationInput;
  readonly instructions: ParentInstructions;
  readonly progress: GenerationProgress;
  /** The highest gate test that this generation reserved, or that was spent before it. */
  testsSpent: number;
  /** Names of the branches that train at this moment. */
  training: readonly string[] = [];
  readonly #outbox: LedgerOutbox;
  #context: ArtifactRef | null = null;

  constructor(input: GenerationInput) {
    this.input = input;
    this.testsSpent = input.testsSpent;
    this.progress = new GenerationProgress(input.context, input.attempt);
    this.instructions = followParent(input.instructions, async (received) => this.#relay(received));
    const { written } = this.progress;
    this.#outbox = new LedgerOutbox(
      input.scope,
      () =>
        this.instructions.current().messages.filter((one) => !written.includes(waitingKey(one))),
      (settled) => void written.push(...settled.map(waitingKey)),
    );
  }

  /** The campaign, trainer and harness of this generation's jobs. */
  get jobs(): JobContext {
    const { scope, context } = this.input;
    const { trainerDigest, gateSecretId } = context.epoch;
    return {
      scope,
      trainerDigest,
      gateSecretId,
      harness: context.harness,
      heartbeatTimeoutS: context.config.temporal.heartbeat_timeout_s,
      pauses: this.instructions,
    };
  }

  /** Runs the activity of that name, under that name. */
  async step<Name extends StepActivity>(
    name: Name,
    input: StepInput<Name>,
    branch?: string,
  ): Promise<Awaited<ReturnType<Activities[Name]>>> {
    await this.enter(stepOf(name));
    const id = branch === undefined ? name : `${name}.${branch}`;
    // The compiler cannot relate a name in a type parameter to that activity's request and result.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const run = activity(id, branch)[name] as unknown as (
      request: StepBase & StepInput<Name>,
    ) => Promise<Awaited<ReturnType<Activities[Name]>>>;
    const { scope } = this.input;
    return run({ ...input, scope, context: await this.#stored(), redo: this.#redoOf(name) });
  }

  /** Runs a job under that name and returns its outputs. */
  async job(
    name: StepName | StepPart,
    plan: JobPlan,
  ): Promise<Readonly<Record<string, ArtifactRef>>> {
    await this.enter(stepOf(name));
    const { outputs } = await requireJob(this.jobs, this.jobOf(name, plan));
    return outputs;
  }

  jobOf(name: StepName | StepPart, plan: JobPlan): StepJob {
    return { step: name, redo: this.#redoOf(name), attempt: this.input.attempt, plan };
  }

  /** Shows the step and waits out a pause. */
  async enter(step: StepName): Promise<void> {
    await this.progress.enter(step);
    await this.instructions.unpaused();
  }

  /** Shows the screen's verdicts. The test that it reserved stays spent, whatever becomes of this attempt. */
  screened(screening: Screening): void {
    this.testsSpent = Math.max(this.testsSpent, screening.challenger?.test ?? 0);
    this.progress.screened(screening);
  }

  /** Appends to the ledger, after the entries of messages that came since the last time. */
  async append(...drafts: readonly GivenDraft[]): Promise<void> {
    await this.#outbox.append(drafts);
  }

  /** Writes the decision, shows it and returns the result. A decision that is being written is not canceled. */
  async close(
    decision: Accumulated,
    { harness, notices }: Revised,
    verdict: GateVerdict | null,
    injected: readonly Intervention[],
  ): Promise<GenerationResult> {
    await CancellationScope.nonCancellable(async () => this.append(...decision.entries));
    this.progress.decided(decision, verdict, notices);
    const { incumbent, incumbentOptimizerMetrics, memory, skillsKnown } = decision;
    return {
      generation: this.input.context.generation,
      incumbent,
      incumbentOptimizerMetrics,
      harness,
      memory,
      skillsKnown,
      view: this.progress.view,
      written: this.progress.written,
      testsSpent: this.testsSpent,
      injectedUsed: injected.map(({ id }) => id),
    };
  }

  /** The error that closes the workflow, in a form that the campaign can read. */
  failure(error: unknown): unknown {
    return asFailure(error, this.testsSpent);
  }

  #redoOf(name: StepName | StepPart): number {
    return this.input.redo[stepOf(name)] ?? 0;
  }

  /** Stored by the first step that needs it. */
  async #stored(): Promise<ArtifactRef> {
    const { scope, context } = this.input;
    this.#context ??= await activity('openGeneration').openGeneration({ scope, context });
    return this.#context;
  }

  async #relay(received: Instructions): Promise<void> {
    const { attempt, context, scope } = this.input;
    await Promise.all(
      this.training.map(async (branch) =>
        instruct(workflowIds.branch(scope.campaign, context.generation, attempt, branch), received),
      ),
    );
  }
}
