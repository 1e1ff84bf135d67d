// The report as one HTML page without scripts and without external files.
import { lossesOf } from '../core/campaign-view.ts';
import { backtestTable, forecastTable, type PlainTable } from './backtest-tables.ts';
import { curveCharts } from './charts/curves.ts';
import { finalDots } from './charts/final-dots.ts';
import { healthChart } from './charts/health.ts';
import { lineageChart } from './charts/lineage.ts';
import { rewardTruthChart } from './charts/reward-truth.ts';
import { describeDraft } from './describe-draft.ts';
import { FINAL_NOTE, finalTable } from './final-table.ts';
import { outcomeCell, rangeText } from './health-model.ts';
import { NONE, score } from '../core/number-text.ts';
import { effectText, measured, measuredText, minutes } from './numbers.ts';
import { htmlPage, rows, section } from './page.ts';
import {
  bottleneckOf,
  epochNote,
  figuresNote,
  headingOf,
  type ReportBranch,
  type ReportFinal,
  type ReportGeneration,
  type ReportModel,
  type Source,
} from './report-model.ts';
import { SKILL_NOTE, skillTable } from './skill-table.ts';
import { linkOf, type Addresses, shortDigest } from './sources.ts';
import { escapeText as esc } from './html.ts';

type Cite = (source: Source) => string;

export function renderHtml(model: ReportModel, addresses: Addresses): string {
  const cite: Cite = (source) => {
    const { label, href, title } = linkOf(source, addresses);
    const tip = ` title="${esc(title)}"`;
    return href
      ? ` <a class="digest" href="${esc(href)}"${tip}>${label}</a>`
      : ` <span class="digest"${tip}>${label}</span>`;
  };
  const body = [
    header(model, cite),
    section('Reward against truth', legend(), plot(rewardTruthChart(model))),
    section('Lineage', plot(lineageChart(model)), lineageTable(model, cite)),
    ...model.generations.map((generation) => generationSection(generation, cite)),
    ...model.finals.map((final) => finalSection(final, model, cite)),
    forecastSection(model),
    healthSection(model, cite),
    skillSection(model),
    ledgerSection(model, addresses),
  ];
  return htmlPage(`${model.campaign}: EvoTrainer report`, body);
}

const plot = (svg: string): string => (svg ? `<div class="plot">${svg}</div>` : '');

function header(model: ReportModel, cite: Cite): string {
  const first = model.lineage[0];
  const last = model.lineage.at(-1);
  const tile = (label: string, value: string): string =>
    `<div class="tile"><span>${esc(label)}</span><strong>${value}</strong></div>`;
  const losses = esc(lossesOf(last?.candidate.lostCategories ?? []));
  const incumbent =
    score(last?.newest.selectMean) +
    losses +
    (last ? cite({ entry: last.newest.entry, object: null }) : '');
  const atFirst = model.calibrated ? cite(model.calibrated.source) : '';
  const promotions = model.lineage.length - 1;
  const heading = headingOf(model);
  return `<header><h1>${esc(model.campaign)} <span class="state ${esc(model.state)}">${esc(model.state)}</span></h1>
${
  heading === null
    ? ''
    : `<p class="arm">${esc(heading)}</p>
`
}<div class="tiles">
${tile('true score, warm start', score(first?.candidate.selectMean) + atFirst)}
${tile('true score, incumbent', incumbent)}
${tile('generations', String(model.generations.length))}
${tile('promotions', String(Math.max(0, promotions)))}
${tile('gate tests spent', String(model.testsSpent))}
</div>
<p class="note">${note(model)}</p></header>`;
}

function note(model: ReportModel): string {
  const { campaign, ledger } = model;
  const head = ledger.at(-1)?.hash;
  const upTo = head ? ` up to <code>${shortDigest(head)}</code>` : '';
  return [
    'True scores are means on SELECT, graded by the oracle. Each generation draws its own tasks.' +
      epochNote(model),
    esc(figuresNote(model)),
    `Built from ${ledger.length} ledger entries${upTo}.`,
    `<code>evo verify ${esc(campaign)}</code> recomputes every digest and verdict.`,
  ].join(' ');
}

const legend = (): string =>
  `<p class="legend"><i class="reward"></i> reward at the end of training <i class="truth"></i> true score on SELECT <i class="incumbent"></i> the incumbent on the same SELECT tasks</p>`;

const lineageTable = (model: ReportModel, cite: Cite): string =>
  rows(
    ['incumbent', 'from', 'SELECT at first', 'recipe'],
    model.lineage.map(({ generation, branch, candidate, entry, scoredIn }) => [
      `policy${cite({ entry, object: candidate.policy })}`,
      branch ? `generation ${generation}, ${esc(branch)}` : 'warm start',
      score(candidate.selectMean) +
        esc(lossesOf(candidate.lostCategories)) +
        cite({ entry: scoredIn, object: null }),
      `recipe${cite({ entry, object: candidate.recipe })}`,
    ]),
  );

const plain = ({ heads, rows: cells }: PlainTable): string =>
  rows(
    heads,
    cells.map((row) => row.map((cell) => esc(cell))),
  );

const forecastSection = ({ forecasts, drift }: ReportModel): string =>
  forecasts.length === 0
    ? ''
    : section(
        'Forecasts of the backtests',
        ...drift.map(({ why }) => `<p><span class="key">drift</span> ${esc(why)}</p>`),
        plain(forecastTable(forecasts)),
      );

function generationSection(generation: ReportGeneration, cite: Cite): string {
  const { bottleneck, rivals, health, revision, branches, gate, recipe, ended } = generation;
  const { backtests, gpus, rejectedByBacktest, repeated } = generation;
  const line = (label: string, text: string): string =>
    `<p><span class="key">${esc(label)}</span> ${text}</p>`;
  const rivalNames = rivals.map(({ rule, why }) => `<span title="${esc(why)}">${esc(rule)}</span>`);
  return section(
    `Generation ${generation.generation}`,
    ended ? line('state', esc(ended)) : '',
    line(
      'bottleneck',
      `<strong>${esc(bottleneck ?? 'none')}</strong>${health ? cite(health.source) : ''}`,
    ),
    rivals.length > 0 ? line('rivals', rivalNames.join(', ')) : '',
    ...revision.map(({ label, text }) => line(label, esc(text))),
    ...rejectedByBacktest.map(({ id, why }) =>
      line('rejected by backtest', `${esc(id)}: ${esc(why)}`),
    ),
    gpus ? line('GPUs', esc(gpus.text)) : '',
    gpus?.warning ? line('warning', esc(gpus.warning)) : '',
    backtests
      ? `<details><summary>backtests${cite(backtests.source)}</summary>${plain(backtestTable(backtests.report))}</details>`
      : '',
    branches.length > 0 ? branchRows(branches, cite) : '',
    repeated ? line('spread', `${esc(repeated.text)}.${cite(repeated.source)}`) : '',
    gate ? gateText(gate, cite) : '',
    recipe ? recipeText(recipe, cite) : '',
    `<div class="small">${curveCharts(generation).join('')}</div>`,
  );
}

const branchRows = (branches: readonly ReportBranch[], cite: Cite): string =>
  rows(
    ['branch', 'intervention', 'reward', 'SELECT', 'difference from b0', 'screen', 'decision'],
    branches.map((one) => {
      const { intervention, screening, decision } = one;
      const name = intervention
        ? `<strong>${esc(intervention.operator)}</strong><small>${esc(intervention.hypothesis)}</small><code>${esc(JSON.stringify(intervention.patch))}</code>`
        : 'control (recipe unchanged)';
      const shown = screening
        ? `<span class="${esc(screening.verdict)}">${esc(screening.verdict)}${screening.guard ? ` [${esc(screening.guard)}]` : ''}</span><small>${esc(screening.why)}</small>${cite(screening.source)}`
        : NONE;
      return [
        `<strong>${esc(one.branch)}</strong>${one.trained.object ? cite(one.trained) : ''}`,
        name,
        score(one.rewardMean) + (one.optimizerMetrics ? cite(one.optimizerMetrics) : ''),
        score(one.selectMean) + (decision && one.selectMean !== null ? cite(decision.source) : ''),
        effectText(decision?.effect) + (decision?.effect ? cite(decision.source) : ''),
        one.outcome === 'ok' ? shown : `failed: ${esc(one.outcome)}`,
        decision
          ? `<span class="${esc(decision.decision)}">${esc(decision.decision)}</span><small>${esc(decision.why)}${esc(bottleneckOf(decision))}</small>${cite(decision.source)}`
          : NONE,
      ];
    }),
  );

function gateText(gate: NonNullable<ReportGeneration['gate']>, cite: Cite): string {
  const { numbers, alpha, branch, verdict, guard, why, difference, lostCategories, source } = gate;
  const loss =
    lostCategories.length > 0 ? ` It scores lower in ${esc(lostCategories.join(', '))}.` : '';
  return `<p class="gate ${esc(verdict)}"><span class="key">gate, ${esc(numbers)}</span> <strong>${esc(branch)} ${esc(verdict)}${guard ? ` [${esc(guard)}]` : ''}</strong>: ${esc(why)}.${loss}${measuredText(difference)} α ${alpha.toFixed(4)}${cite(source)}</p>`;
}

function finalSection(final: ReportFinal, model: ReportModel, cite: Cite): string {
  const { namespace, policies, findings, source } = final;
  const head = `FINAL "${namespace}", ${policies.length} policies`;
  const from = source ? cite(source) : '';
  if (findings.length === 0) {
    const why = source ? figuresNote(model) : 'It was opened and is not played yet.';
    return section(head, `<p class="note">${esc(why)}${from}</p>`);
  }
  const { heads, rows: cells } = finalTable(final);
  const note = `<p class="note">${esc(FINAL_NOTE)}${from}</p>`;
  return section(
    head,
    note,
    plot(finalDots(final)),
    finalLegend,
    rows(
      heads,
      cells.map((row) => row.map(esc)),
    ),
  );
}

const finalLegend =
  '<p class="legend"><i class="truth"></i> the campaign\'s distribution <i class="reward"></i> the shifted one</p>';

function recipeText(recipe: NonNullable<ReportGeneration['recipe']>, cite: Cite): string {
  const figures = recipe.figures === null ? '' : ` (${esc(recipe.figures)})`;
  return `<p class="gate ${recipe.adopted ? 'promote' : 'reject'}"><span class="key">recipe</span> ${esc(recipe.why)}${figures}.${cite(recipe.source)}</p>`;
}

function healthSection(model: ReportModel, cite: Cite): string {
  const cards = model.health.map((series) => {
    const last = series.points.at(-1);
    const range = rangeText(series.healthy);
    const value = last
      ? `${esc(measured(last.value.value))}${last.value.value === null ? '' : ` ${esc(series.unit)}`}${cite(last.source)}`
      : NONE;
    const why = last?.value.why ? `<small>${esc(last.value.why)}</small>` : '';
    const groups = last?.value.groups;
    const byOutcome = groups
      ? `<small>right ${esc(outcomeCell(groups.right))}, wrong ${esc(outcomeCell(groups.wrong))}</small>`
      : '';
    return `<div class="card ${esc(last?.value.severity ?? '')}"><h3>${esc(series.name)}</h3><p>${value}</p><small>${esc(series.layer)}${range && esc(`, healthy ${range}`)}</small>${byOutcome}${why}${healthChart(series)}</div>`;
  });
  return cards.length > 0 ? section('Health', `<div class="cards">${cards.join('\n')}</div>`) : '';
}

const skillSection = ({ skills }: ReportModel): string =>
  skills.length === 0
    ? ''
    : section('Skills', `<p>${esc(SKILL_NOTE)}</p>`, plain(skillTable(skills)));

const ledgerSection = ({ ledger }: ReportModel, addresses: Addresses): string =>
  section(
    'Ledger',
    rows(
      ['#', 'generation', 'entry', 'by', 'content', 'hash', 'written (UTC)'],
      ledger.map(({ entry: { number, draft }, hash, beside }) => {
        const href = addresses.entry(number);
        const digest = shortDigest(hash);
        return [
          String(number),
          String(draft.generation),
          esc(draft.kind),
          esc(draft.by),
          esc(describeDraft(draft)),
          href
            ? `<a class="digest" href="${esc(href)}" title="${hash}">${digest}</a>`
            : `<span class="digest" title="${hash}">${digest}</span>`,
          esc(minutes(beside.at)),
        ];
      }),
    ),
  );
