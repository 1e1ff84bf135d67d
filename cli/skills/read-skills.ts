// Reads a file of skills, which is a stranger's text: what is wrong with it is said with file, line and cure.
import { type ImportedSkill, skillFileSchema } from '../../core/schemas/skill-file.ts';
import { branchIssues, issueText, pathText } from '../../core/schemas/issue-text.ts';
import { digestFault } from '../../core/research/own-feature.ts';
import { wrongFigure } from '../../core/transfer/foreign-records.ts';
import { faultsOfExpressions } from '../../workers/compose-catalog.ts';
import { usageError } from '../exit.ts';
import { readYamlFile } from '../read-yaml.ts';

const FAULTS_MAX = 8;

type Path = readonly PropertyKey[];

/** Throws a usage error. */
export async function readSkills(file: string): Promise<ImportedSkill[]> {
  const { value, lineOf } = readYamlFile(file);
  const refuse = (faults: readonly (readonly [path: Path, why: string])[]): void => {
    const lines = faults.slice(0, FAULTS_MAX).map(([path, why]) => {
      const shown = Array.from(path.keys(), (depth) => path.slice(0, path.length - depth));
      const line = shown.map(lineOf).find((one) => one !== null) ?? 1;
      return `${file}:${line}: ${pathText(path)}: ${why}`;
    });
    if (lines.length > 0) throw usageError(lines.join('\n'));
  };
  const parsed = skillFileSchema.safeParse(value);
  if (!parsed.success) {
    const issues = parsed.error.issues.flatMap(branchIssues);
    refuse(issues.map((issue) => [issue.path, issueText(issue, value)]));
    throw usageError(`${file}: write it with evo skills export`);
  }
  const { skills } = parsed.data;
  refuse(
    skills.flatMap((skill, index) => {
      const wrong = wrongFigure(skill);
      return wrong === null ? [] : [[['skills', index, ...wrong[0].split('.')], wrong[1]] as const];
    }),
  );
  const features = skills.flatMap((skill, at) =>
    skill.features.map(({ sql }, index) => ({
      sql,
      path: ['skills', at, 'features', index, 'sql'] as const,
    })),
  );
  const faults = await faultsOfExpressions(features.map(({ sql }) => sql));
  refuse(
    features.flatMap(({ sql, path }, index) => {
      const why = digestFault(sql) ?? faults[index] ?? null;
      return why === null ? [] : [[path, why] as const];
    }),
  );
  return skills;
}
