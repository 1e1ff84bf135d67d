// From findings to the one bottleneck: the first in the domain's order among those at the highest alert level.
import type { Finding, HealthReport, MetricValue, RuleDefinition } from '../schemas/harness.ts';

/** A rule's answer on the values: null = not measurable, and `why` says what was missing. */
export interface RuleAnswer {
  readonly fired: boolean | null;
  readonly why: string | null;
}

/**
 * A finding is as bad as its rule says, or as the worst metric it is about. What it reads may name `words` in braces, as
 * in {lost}.
 */
export function findingOf(
  { head, sha256 }: RuleDefinition,
  { fired, why }: RuleAnswer,
  values: readonly MetricValue[],
  words: Readonly<Record<string, string>>,
): Finding {
  const { name, layer, severity, metrics } = head;
  const meaning = head.meaning.replaceAll(
    /\{(\w+)\}/g,
    (braced, word: string) => words[word] ?? braced,
  );
  const isCritical = values.some(
    (value) => value.severity === 'critical' && metrics.includes(value.name),
  );
  return {
    rule: name,
    layer,
    definition: sha256,
    fired,
    severity: isCritical ? 'critical' : severity,
    metrics,
    meaning,
    why,
  };
}

/** Rules outside the order come after it, in the order given. Rivals are the others that fired, each with why it lost. */
export function findBottleneck(
  findings: readonly Finding[],
  order: readonly string[],
): Pick<HealthReport, 'bottleneck' | 'rivals'> {
  const place = ({ rule }: Finding): number => {
    const index = order.indexOf(rule);
    return index === -1 ? order.length : index;
  };
  const rank = ({ severity }: Finding): number => (severity === 'critical' ? 0 : 1);
  const ranked = findings
    .filter(({ fired }) => fired === true)
    .toSorted((left, right) => rank(left) - rank(right) || place(left) - place(right));
  const [first, ...rest] = ranked;
  if (first === undefined) return { bottleneck: null, rivals: [] };
  const rivals = rest.map((rival) => ({
    rule: rival.rule,
    why:
      rival.severity === first.severity
        ? `as bad (${rival.severity}), but ${first.rule} comes first in the domain's order`
        : `only ${rival.severity}, while ${first.rule} is ${first.severity}`,
  }));
  return { bottleneck: first.rule, rivals };
}
