// All campaigns, on one page.
import { Hono } from 'hono';
import { NONE, score } from '../../../core/number-text.ts';
import { html } from '../../html.ts';
import { renderFrame } from '../../parts/frame.ts';
import type { Page } from '../../parts/part.ts';
import type { UiContext } from '../context.ts';

export function campaignsRoutes(context: UiContext): Hono {
  const app = new Hono();
  app.get('/', async (c) => {
    const page = campaignsPage(await context.campaigns());
    return c.html(renderFrame(page, { campaign: null, live: null }).toString());
  });
  return app;
}

function campaignsPage(campaigns: Awaited<ReturnType<UiContext['campaigns']>>): Page {
  const rows = campaigns.map(
    ({ name, phase, status, generation, score: selectMean }) =>
      html`<tr>
        <th scope="row"><a href="/c/${name}">${name}</a></th>
        <td>${phase ?? status}</td>
        <td>${generation ?? NONE}</td>
        <td>${score(selectMean)}</td>
      </tr>`,
  );
  const table = html`<div class="wide">
    <table>
      <thead>
        <tr>
          <th scope="col">campaign</th>
          <th scope="col">phase</th>
          <th scope="col">generation</th>
          <th scope="col">SELECT</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
  const none = html`<p>
    No campaigns yet. Start one with <code>evo demo</code> or
    <code>evo run configs/math.yaml</code>.
  </p>`;
  const markup = html`<h1>Campaigns</h1>
    ${campaigns.length > 0 ? table : none}`;
  return { title: 'Campaigns', nav: 'campaigns', parts: [{ id: 'campaigns', markup }] };
}
