// What a generation keeps while its steps run: where it is, what it heard, what it has still to write.
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  ParentClosePolicy,
  setCurrentDetails,
  startChild,
} from '@temporalio/workflow';
import type { BranchView, GenerationView } from '../core/campaign-view.ts';
import { waitingKey } from '../core/campaign.ts';
import type { GivenDraft } from '../core/drafts.ts';
import { openingView } from '../core/generation-view.ts';
import type {
  BranchInput,
  BranchResult,
  CampaignScope,
  ControlState,
  GateVerdict,
  GenerationInput,
  Screened,
  TrainedBranch,
} from '../core/generation.ts';
import { output } from '../core/plan.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { Accumulated } from '../activities/accumulate.ts';
import { branchName, workflowIds } from '../core/ids.ts';
import type { Intervention } from '../core/schemas/intervention.ts';
import type { StepName } from '../core/steps.ts';
import { branchWorkflow } from './branch.ts';
import { controlSignal, listenToParent, type ParentControl } from './listen-to-parent.ts';
import { progressSignal } from './messages.ts';
import { quickly } from './proxies.ts';
import type { JobContext } from './run-job.ts';
import { placeAttributes } from './search-attributes.ts';

/** Over in moments, and not worth a signal's events in two histories: the campaign shows the step before them. */
const BRIEF: readonly StepName[] = ['revise', 'backtest', 'accumulate'];

export class OpenGeneration {
  readonly input: GenerationInput;
  readonly jobs: JobContext;
  readonly control: ParentControl;
  view: GenerationView;
  testsSpent: number;
  /** What every quick activity of a generation is told. */
  readonly place: {
    readonly scope: CampaignScope;
    readonly trainerDigest: string;
    readonly generation: number;
  };
  private training: readonly string[] = [];
  /** Keys of what the campaign had the ledger told. */
  readonly written: string[] = [];

  constructor(input: GenerationInput) {
    this.input = input;
    this.view = openingView(input);
    this.testsSpent = input.testsSpent;
    const { scope, epoch, generation } = input;
    this.place = { scope, trainerDigest: epoch.trainerDigest, generation };
    this.control = listenToParent(input.control, async (heard) => this.relay(heard));
    this.jobs = {
      scope: input.scope,
      trainerDigest: input.epoch.trainerDigest,
      gateSecretId: input.epoch.gateSecretId,
      harness: input.harness,
      heartbeatTimeoutS: input.config.temporal.heartbeat_timeout_s,
      control: this.control,
    };
  }

  /** Says which step comes next, with what is known by then, and waits out a pause. */
  async enter(step: StepName, known: Partial<GenerationView> = {}): Promise<void> {
    if (this.view.step !== step) {
      this.show({ ...known, step });
      if (!BRIEF.includes(step)) await this.tellCampaign();
    }
    await this.control.ready();
  }

  private show(change: Partial<GenerationView>): void {
    this.view = { ...this.view, ...change };
    setCurrentDetails(
      `Step **${this.view.step ?? 'done'}**, bottleneck ${this.view.bottleneck ?? 'not named yet'}`,
    );
  }

  private async tellCampaign(): Promise<void> {
    const { scope } = this.input;
    await getExternalWorkflowHandle(workflowIds.campaign(scope.campaign))
      .signal(progressSignal, { view: this.view, written: this.written })
      .catch((error: unknown) => {
        if (isCancellation(error)) throw error;
        log.warn('the campaign could not be told of progress', { error: String(error) });
      });
  }

  /** The branches as they are shown, with what is known now. */
  private branchesWith(known: (branch: BranchView) => Partial<BranchView>): BranchView[] {
    return this.view.branches.map((branch) => ({ ...branch, ...known(branch) }));
  }

  /** Appends to the ledger at a step's end, after the messages that waited for it. */
  async record(drafts: readonly GivenDraft[]): Promise<void> {
    const { scope } = this.input;
    const waiting = this.control
      .current()
      .messages.filter((told) => !this.written.includes(waitingKey(told)));
    await quickly('ledger').appendLedger({ scope, drafts: [...waiting, ...drafts] });
    this.written.push(...waiting.map(waitingKey));
  }

  /** Trains the control and one branch an intervention, side by side. */
  async train(
    interventions: readonly Intervention[],
    harness: ArtifactRef,
  ): Promise<readonly BranchResult[]> {
    const tried = [null, ...interventions];
    const branches = tried.map((intervention, index) => ({
      branch: branchName(index),
      intervention,
    }));
    await this.enter('train', {
      branches: branches.map(({ branch, intervention }) => ({
        branch,
        operator: intervention?.operator ?? null,
        hypothesis: intervention?.hypothesis ?? null,
        state: 'training',
        decision: null,
        why: null,
        selectMean: null,
        rewardMean: null,
      })),
    });
    this.training = branches.map(({ branch }) => branch);
    const results = await together(
      branches.map(
        ({ branch, intervention }) =>
          async () =>
            this.trainBranch(branch, intervention, harness),
      ),
    );
    this.training = [];
    this.show({ branches: this.branchesWith(({ branch }) => trainedView(results, branch)) });
    return results;
  }

  /** A health report for each branch's DIAG set, read by the harness in force and beside the control's. */
  async diagnoseBranches(
    branches: readonly TrainedBranch[],
    labels: Readonly<Record<string, ArtifactRef>>,
    harness: ArtifactRef,
  ): Promise<Readonly<Record<string, ArtifactRef>>> {
    const diagnose = async (
      { branch, artifacts }: TrainedBranch,
      control: { readonly health: ArtifactRef; readonly diag: ArtifactRef } | null,
    ) => {
      const { health } = await quickly(`diagnose.${branch}`, branch).diagnose({
        ...this.place,
        harness,
        memory: null,
        lost: [],
        control,
        evidence: {
          train: null,
          diag: artifacts.diag,
          labels: output(labels, `labels/${branch}`),
          steps: artifacts.metrics,
        },
        redo: this.input.redo.screen ?? 0,
      });
      return [branch, health] as const;
    };
    const [control, ...others] = branches;
    if (control === undefined) return {};
    const first = await diagnose(control, null);
    const beside = { health: first[1], diag: control.artifacts.diag };
    const rest = await Promise.all(others.map(async (branch) => diagnose(branch, beside)));
    return Object.fromEntries([first, ...rest]);
  }

  async enterPromote(screened: Screened): Promise<void> {
    const branches = this.branchesWith(({ branch }) => {
      const one = screened.branches.find((found) => found.branch === branch);
      if (one === undefined) return {};
      return { selectMean: one.selectMean, why: one.verdict === 'pass' ? null : one.why };
    });
    await this.enter('promote', { branches });
  }

  /** Writes the decision and shows it. What the ledger has decided is not cancelled any more. */
  async decide(
    { decided, incumbent, entries, notices }: Accumulated,
    verdict: GateVerdict | null,
  ): Promise<void> {
    await CancellationScope.nonCancellable(async () => this.record(entries));
    const branches = this.branchesWith(({ branch }) => {
      const one = decided.find((found) => found.branch === branch);
      return one === undefined ? {} : { state: 'decided', decision: one.decision, why: one.why };
    });
    const { selectMean: incumbentSelectMean } = incumbent;
    const shown = verdict && verdictView(verdict);
    this.show({ verdict: shown, incumbentSelectMean, step: null, branches, notices });
  }

  private async trainBranch(
    branch: string,
    intervention: Intervention | null,
    harness: ArtifactRef,
  ): Promise<BranchResult> {
    const { scope, epoch, generation, attempt, redo, incumbent } = this.input;
    const { seed, budget, checkpoint_every, rollout, temporal } = this.input.config;
    const { trainerDigest, gateSecretId } = epoch;
    const told = this.control.current();
    const args: BranchInput = {
      scope,
      config: { seed, budget, checkpoint_every, rollout, temporal },
      epoch: { trainerDigest, gateSecretId },
      generation,
      attempt,
      redo: redo.train ?? 0,
      branch,
      incumbent,
      harness,
      intervention: intervention && { operator: intervention.operator, patch: intervention.patch },
      pause: told.pause,
    };
    const child = await startChild(branchWorkflow, {
      workflowId: workflowIds.branch(scope.campaign, generation, attempt, branch),
      args: [args],
      typedSearchAttributes: placeAttributes(this.input.config, generation),
      staticSummary: `${branch}: ${intervention?.operator ?? 'control, the recipe unchanged'}`,
      staticDetails:
        intervention?.hypothesis ??
        'The incumbent trained on by its own recipe, same seeds and budget.',
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    });
    // Before it had started there was nobody to tell.
    const heard = this.control.current();
    if (heard !== told) await this.tell(branch, heard);
    return { ...(await child.result()), intervention };
  }

  private async relay(heard: ControlState): Promise<void> {
    await Promise.all(this.training.map(async (branch) => this.tell(branch, heard)));
  }

  /**
   * A branch that has just closed needs no telling. Never throws: in a signal's handler a cancellation would close the
   * workflow on the spot, with its jobs running.
   */
  private async tell(branch: string, heard: ControlState): Promise<void> {
    const { scope, generation, attempt } = this.input;
    await getExternalWorkflowHandle(workflowIds.branch(scope.campaign, generation, attempt, branch))
      .signal(controlSignal, heard)
      .catch((error: unknown) => {
        log.info('a branch was not told', { branch, error: String(error) });
      });
  }
}

/** Runs all at once. Where one fails for good the others are cancelled and waited for, so that none outlives the caller. */
async function together<Result>(works: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const scope = new CancellationScope();
  const running = works.map(async (work) => scope.run(work));
  return Promise.all(running).catch(async (error: unknown) => {
    scope.cancel();
    await Promise.allSettled(running);
    throw error;
  });
}

function trainedView(results: readonly BranchResult[], branch: string): Partial<BranchView> {
  const result = results.find((one) => one.branch === branch);
  if (result === undefined) return {};
  return result.status === 'ok'
    ? { state: 'trained', rewardMean: result.rewardMean }
    : { state: 'failed', why: result.message };
}

/** As the ledger tells it afterwards. */
const verdictView = ({ branch, verdict, guard, why }: GateVerdict): GenerationView['verdict'] => ({
  branch,
  verdict,
  guard,
  why,
});
