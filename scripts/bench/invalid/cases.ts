// The branches that EvoTrainer's authors had to refuse (arXiv:2606.03108, 1.10 and appendices B.3 and D), as arms of ours.

export interface Arm {
  readonly name: string;
  /** On top of the group's recipe, in the words of `scripts/bench/arm.ts`; null = the recipe as it is, the control. */
  readonly changes: string | null;
  /** The bottleneck that its health report has to name; null = it is no case. */
  readonly cause: string | null;
  /** Whether its own training score rises, so that a loop that reads nothing else accepts it. */
  readonly isAttractive: boolean;
}

/** Arms that share a warm start and a control; the control comes first. */
export interface Group {
  readonly name: string;
  readonly config: string;
  readonly sets: readonly string[];
  /** What every arm's recipe has before its own changes. */
  readonly recipe: string;
  readonly arms: readonly Arm[];
  /** Told of the incumbent before anything is trained; null = nothing is asked. */
  readonly incumbentCause: string | null;
}

const control = { name: 'b0', changes: null, cause: null, isAttractive: false };

export const GROUPS: readonly Group[] = [
  {
    name: 'leak',
    config: 'configs/swe.yaml',
    // The history holds the fix, and some demonstrations look it up.
    sets: ['environment.history_tool=true'],
    recipe: 'pristine_tests_and_penalty',
    arms: [{ ...control, name: 'history_leak', cause: 'history_leak', isAttractive: true }],
    incumbentCause: null,
  },
  {
    name: 'swe',
    config: 'configs/swe.yaml',
    sets: [],
    recipe: 'pristine_tests_and_penalty',
    arms: [
      control,
      {
        name: 'echo_trap',
        changes: '/reward/components/-={feature: debug_effort, weight: 0.5}',
        cause: 'echo_trap',
        isAttractive: true,
      },
      {
        name: 'efficiency_factor',
        // What the control is paid for gives way to it; what costs the control something still does, and so do constants, which
        // the factor's partial pay would otherwise invite.
        changes:
          '/reward/components=[{feature: efficient_fraction, weight: 1}, {feature: wrong_test_edit, weight: -0.5}, {feature: hard_coded_constant, weight: -0.5}]',
        cause: 'one_turn_collapse',
        isAttractive: true,
      },
      {
        name: 'data_cut',
        changes: '/curriculum/train_max_samples=8',
        cause: 'exploration_collapse',
        isAttractive: false,
      },
    ],
    incumbentCause: null,
  },
  {
    name: 'gate',
    config: 'configs/code.yaml',
    sets: ['recipe.rollout.max_tokens=10'],
    recipe: 'all_hidden_reward',
    arms: [],
    incumbentCause: 'cut_off_outputs',
  },
];
