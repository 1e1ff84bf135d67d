import { specialistsOf, type StaffedSpecialist } from '../activities/inquiring/specialist-of.ts';
import { readStoredConfig } from '../activities/shared/stored-config.ts';
import { agentWaitOf } from '../core/research/inquiry.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import { composeStores } from '../workers/compose.ts';
import { Campaign } from './campaign.ts';
import { memoOf } from './campaign-memo.ts';
import { connect } from './connect.ts';
import { evoCommand } from './define-command.ts';
import { CommandError, EXIT } from './exit.ts';
import { AgentDesk } from './mcp/agent-desk.ts';
import { serveLines } from './mcp/json-lines.ts';
import { mcpMethods } from './mcp/mcp-methods.ts';
import { printJson } from './terminal/printable.ts';

export const command = evoCommand({
  name: 'mcp',
  description: 'Serve the tools of one specialist to an agent of yours: MCP over stdin and stdout.',
  args: {
    campaign: { type: 'positional', required: true, description: 'name of the campaign' },
    specialist: {
      type: 'positional',
      required: false,
      description: 'whose inquiry waits for it; default: the only one with a provider of type mcp',
    },
  },
  async run(args) {
    const connected = await connect();
    try {
      const campaign = new Campaign(connected, args.campaign);
      const memo = memoOf(await campaign.describe());
      const roots = { store: memo?.store ?? null, sealedStore: memo?.sealedStore ?? null };
      const { open } = composeStores(roots, connected.environment);
      const config = memo && (await readStoredConfig(open, campaign.name, memo.configDigest));
      const chosen = config && chooseSpecialist(config, args.specialist);
      if (chosen === null) throw failed(`the archive of ${campaign.name} has no config`);
      const desk = new AgentDesk({ connected, campaign, open, ...chosen });
      await serveLines(process.stdin, printJson, mcpMethods(desk));
      return EXIT.ok;
    } finally {
      await connected.close();
    }
  },
});

function chooseSpecialist(config: CampaignConfig, asked: string | undefined) {
  const { researcher } = config;
  if (researcher === undefined) {
    throw failed(`${config.name} has no specialists: see docs/researchers.md`);
  }
  const all = specialistsOf(researcher);
  const names = (some: readonly StaffedSpecialist[]): string =>
    some.map(({ name }) => name).join(', ') || 'none';
  const waiting = all.filter(({ name }) => agentWaitOf(config, name) !== null);
  const fitting = asked === undefined ? waiting : all.filter(({ name }) => name === asked);
  const [specialist] = fitting;
  if (specialist !== undefined && fitting.length === 1) return { researcher, specialist };
  throw failed(
    asked === undefined
      ? `name one of the specialists whose provider has the type mcp: ${names(waiting)}`
      : `${config.name} has no specialist ${asked}; it has ${names(all)}`,
  );
}

const failed = (why: string): CommandError => new CommandError(EXIT.failed, why);
