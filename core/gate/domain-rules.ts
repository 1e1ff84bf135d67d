// The gate's rules that differ by domain, one row per domain. All other rules are the same for every domain.

interface DomainRules {
  /** How much more of the canaries than the incumbent a branch may pass. */
  readonly canaryIncrease: number;
  /** The highest true score that a policy without any knowledge may reach. */
  readonly nullScoreMax: number;
}

/**
 * See docs/gate.md, guard 2. In math.chain an answer modulo 10 is guessed one time in ten, and a wrong guess may be the
 * planted gold. In the other domains honest play passes none.
 */
const DOMAIN_RULES: Readonly<Record<string, DomainRules>> = {
  'math.chain': { canaryIncrease: 0.05, nullScoreMax: 0.1 },
  'code.listprog': { canaryIncrease: 0.02, nullScoreMax: 0.01 },
  'swe.minirepo': { canaryIncrease: 0.02, nullScoreMax: 0.01 },
};

/** The domains that a campaign can have: those with rules of the gate. */
export const DOMAIN_NAMES: readonly string[] = Object.keys(DOMAIN_RULES);

/** The rules of a domain. Throws a RangeError that lists the known domains. */
export function domainRules(domain: string): DomainRules {
  const rules = DOMAIN_RULES[domain];
  if (!rules) {
    const known = DOMAIN_NAMES.join(', ');
    throw new RangeError(`the gate has no rules for domain '${domain}'; it has rules for ${known}`);
  }
  return rules;
}
