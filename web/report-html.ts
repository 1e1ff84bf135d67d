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
import { type Child, html, joined, type Markup } from './html.ts';
import { answerHeadline } from './parts/answer.ts';

type Cite = (source: Source) => Markup;

export function renderHtml(model: ReportModel, addresses: Addresses): string {
  const cite: Cite = (source) => {
    const { label, href, title } = linkOf(source, addresses);
    return href
      ? html` <a class="digest" href="${href}" title="${title}">${label}</a>`
      : html` <span class="digest" title="${title}">${label}</span>`;
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

const plot = (svg: Markup | null): Child => svg && html`<div class="plot">${svg}</div>`;

function header(model: ReportModel, cite: Cite): Markup {
  const first = model.lineage[0];
  const last = model.lineage.at(-1);
  const tile = (label: string, ...value: Child[]): Markup =>
    html`<div class="tile"><span>${label}</span><strong>${value}</strong></div> `;
  const incumbent = [
    score(last?.newest.selectMean),
    lossesOf(last?.candidate.lostCategories ?? []),
    last && cite({ entry: last.newest.entry, object: null }),
  ];
  const atFirst = model.calibrated && cite(model.calibrated.source);
  const promotions = model.lineage.length - 1;
  const heading = headingOf(model);
  return html`<header>
    <h1>${model.campaign} <span class="state ${model.state}">${model.state}</span></h1>
    ${heading !== null && html`<p class="arm">${heading}</p>`} ${answerHeadline(model.answer)}
    <div class="tiles">
      ${tile('true score, warm start', score(first?.candidate.selectMean), atFirst)}
      ${tile('true score, incumbent', incumbent)} ${tile('generations', model.generations.length)}
      ${tile('promotions', Math.max(0, promotions))} ${tile('gate tests spent', model.testsSpent)}
    </div>
    <p class="note">${note(model)}</p>
  </header>`;
}

function note(model: ReportModel): Markup {
  const { campaign, ledger } = model;
  const head = ledger.at(-1)?.hash;
  const upTo = head && html` up to <code>${shortDigest(head)}</code>`;
  return html`True scores are means on SELECT, graded by the oracle. Each generation draws its own
    tasks.${epochNote(model)} ${figuresNote(model)} Built from ${ledger.length} ledger
    entries${upTo}. <code>evo verify ${campaign}</code> recomputes every digest and verdict.`;
}

const legend = (): Markup =>
  html`<p class="legend">
    <i class="reward"></i> reward at the end of training <i class="truth"></i> true score on SELECT
    <i class="incumbent"></i> the incumbent on the same SELECT tasks
  </p>`;

const lineageTable = (model: ReportModel, cite: Cite): Markup =>
  rows(
    ['incumbent', 'from', 'SELECT at first', 'recipe'],
    model.lineage.map(({ generation, branch, candidate, entry, scoredIn }) => [
      ['policy', cite({ entry, object: candidate.policy })],
      branch ? `generation ${generation}, ${branch}` : 'warm start',
      [
        score(candidate.selectMean),
        lossesOf(candidate.lostCategories),
        cite({ entry: scoredIn, object: null }),
      ],
      ['recipe', cite({ entry, object: candidate.recipe })],
    ]),
  );

const plain = ({ heads, rows: cells }: PlainTable): Markup => rows(heads, cells);

const forecastSection = ({ forecasts, drift }: ReportModel): Child =>
  forecasts.length > 0 &&
  section(
    'Forecasts of the backtests',
    ...drift.map(({ why }) => html`<p><span class="key">drift</span> ${why}</p>`),
    plain(forecastTable(forecasts)),
  );

function generationSection(generation: ReportGeneration, cite: Cite): Child {
  const { bottleneck, rivals, health, revision, branches, gate, recipe, ended } = generation;
  const { backtests, gpus, rejectedByBacktest, repeated } = generation;
  const line = (label: string, ...text: Child[]): Markup =>
    html`<p><span class="key">${label}</span> ${text}</p>`;
  const rivalNames = joined(
    rivals.map(({ rule, why }) => html`<span title="${why}">${rule}</span>`),
    ', ',
  );
  return section(
    `Generation ${generation.generation}`,
    ended && line('state', ended),
    line(
      'bottleneck',
      html`<strong>${bottleneck ?? 'none'}</strong>`,
      health && cite(health.source),
    ),
    rivals.length > 0 && line('rivals', rivalNames),
    ...revision.map(({ label, text }) => line(label, text)),
    ...rejectedByBacktest.map(({ id, why }) => line('rejected by backtest', `${id}: ${why}`)),
    gpus && line('GPUs', gpus.text),
    gpus?.warning ? line('warning', gpus.warning) : null,
    backtests &&
      html`<details>
        <summary>backtests</summary>
        <p>${cite(backtests.source)}</p>
        ${plain(backtestTable(backtests.report))}
      </details>`,
    branches.length > 0 && branchRows(branches, cite),
    repeated && line('spread', `${repeated.text}.`, cite(repeated.source)),
    gate && gateText(gate, cite),
    recipe && recipeText(recipe, cite),
    html`<div class="small">${curveCharts(generation)}</div>`,
  );
}

const branchRows = (branches: readonly ReportBranch[], cite: Cite): Markup =>
  rows(
    ['branch', 'intervention', 'reward', 'SELECT', 'difference from b0', 'screen', 'decision'],
    branches.map((one) => {
      const { intervention, screening, decision } = one;
      const name = intervention
        ? html`<strong>${intervention.operator}</strong><small>${intervention.hypothesis}</small
            ><code>${JSON.stringify(intervention.patch)}</code>`
        : 'control (recipe unchanged)';
      const guard = screening?.guard ? ` [${screening.guard}]` : '';
      const shown = screening
        ? html`<span class="${screening.verdict}">${screening.verdict}${guard}</span
            ><small>${screening.why}</small>${cite(screening.source)}`
        : NONE;
      return [
        [html`<strong>${one.branch}</strong>`, one.trained.object && cite(one.trained)],
        name,
        [score(one.rewardMean), one.optimizerMetrics && cite(one.optimizerMetrics)],
        [score(one.selectMean), decision && one.selectMean !== null && cite(decision.source)],
        [effectText(decision?.effect), decision?.effect && cite(decision.source)],
        one.outcome === 'ok' ? shown : `failed: ${one.outcome}`,
        decision
          ? html`<span class="${decision.decision}">${decision.decision}</span
              ><small>${decision.why}${bottleneckOf(decision)}</small>${cite(decision.source)}`
          : NONE,
      ];
    }),
  );

function gateText(gate: NonNullable<ReportGeneration['gate']>, cite: Cite): Markup {
  const { numbers, alpha, branch, verdict, guard, why, difference, lostCategories, source } = gate;
  const loss = lostCategories.length > 0 ? ` It scores lower in ${lostCategories.join(', ')}.` : '';
  return html`<p class="gate ${verdict}">
    <span class="key">gate, ${numbers}</span>
    <strong>${branch} ${verdict}${guard ? ` [${guard}]` : ''}</strong>:
    ${why}.${loss}${measuredText(difference)} α ${alpha.toFixed(4)}${cite(source)}
  </p>`;
}

function finalSection(final: ReportFinal, model: ReportModel, cite: Cite): Child {
  const { namespace, policies, findings, source } = final;
  const head = `FINAL "${namespace}", ${policies.length} policies`;
  const from = source && cite(source);
  if (findings.length === 0) {
    const why = source ? figuresNote(model) : 'It was opened and is not played yet.';
    return section(head, html`<p class="note">${why}${from}</p>`);
  }
  return section(
    head,
    html`<p class="note">${FINAL_NOTE}${from}</p>`,
    plot(finalDots(final)),
    html`<p class="legend">
      <i class="truth"></i> the campaign's distribution <i class="reward"></i> the shifted one
    </p>`,
    plain(finalTable(final)),
  );
}

function recipeText(recipe: NonNullable<ReportGeneration['recipe']>, cite: Cite): Markup {
  const figures = recipe.figures === null ? '' : ` (${recipe.figures})`;
  return html`<p class="gate ${recipe.adopted ? 'promote' : 'reject'}">
    <span class="key">recipe</span> ${recipe.why}${figures}.${cite(recipe.source)}
  </p>`;
}

function healthSection(model: ReportModel, cite: Cite): Child {
  const cards = model.health.map((series) => {
    const last = series.points.at(-1);
    const range = rangeText(series.healthy);
    const value = last
      ? [
          measured(last.value.value),
          last.value.value !== null && ` ${series.unit}`,
          cite(last.source),
        ]
      : NONE;
    const groups = last?.value.groups;
    const byOutcome =
      groups &&
      html`<small>right ${outcomeCell(groups.right)}, wrong ${outcomeCell(groups.wrong)}</small>`;
    return html`<div class="card ${last?.value.severity}">
      <h3>${series.name}</h3>
      <p>${value}</p>
      <small>${series.layer}${range && `, healthy ${range}`}</small
      >${byOutcome}${last?.value.why ? html`<small>${last.value.why}</small>` : null}${healthChart(series)}
    </div> `;
  });
  return cards.length > 0 && section('Health', html`<div class="cards">${cards}</div>`);
}

const skillSection = ({ skills }: ReportModel): Child =>
  skills.length > 0 && section('Skills', html`<p>${SKILL_NOTE}</p>`, plain(skillTable(skills)));

const ledgerSection = ({ ledger }: ReportModel, addresses: Addresses): Child =>
  section(
    'Ledger',
    rows(
      ['#', 'generation', 'entry', 'by', 'content', 'hash', 'written (UTC)'],
      ledger.map(({ entry: { number, draft }, hash, beside }) => {
        const href = addresses.entry(number);
        const digest = shortDigest(hash);
        return [
          number,
          draft.generation,
          draft.kind,
          draft.by,
          describeDraft(draft),
          href
            ? html`<a class="digest" href="${href}" title="${hash}">${digest}</a>`
            : html`<span class="digest" title="${hash}">${digest}</span>`,
          minutes(beside.at),
        ];
      }),
    ),
  );
