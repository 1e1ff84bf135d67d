// Package managers: what they install, by sub-command.
import { type Act, act } from './call.ts';
import { looksLikePath, URL } from './paths.ts';

interface Installer {
  readonly install: RegExp;
  /** Sub-commands that only tell. */
  readonly reads?: RegExp;
}

const INSTALLERS: Readonly<Record<string, Installer>> = {
  pip: {
    install: /^(?:install|download|wheel|uninstall|sync)$/,
    reads: /^(?:show|list|freeze|check|config|index|search|inspect)$/,
  },
  pipx: { install: /^(?:install|inject|upgrade)$/ },
  conda: { install: /^(?:install|create|update|remove|env)$/, reads: /^(?:list|info|search)$/ },
  mamba: { install: /^(?:install|create|update|remove|env)$/, reads: /^(?:list|info|search)$/ },
  micromamba: { install: /^(?:install|create|update|remove|env)$/, reads: /^(?:list|info)$/ },
  poetry: { install: /^(?:add|install|update|remove|sync|self)$/, reads: /^(?:show)$/ },
  pdm: { install: /^(?:add|install|update|remove|sync)$/, reads: /^(?:show|list)$/ },
  pipenv: { install: /^(?:install|update|uninstall|sync)$/, reads: /^(?:graph)$/ },
  uv: { install: /^(?:add|sync|remove|lock|tool)$/, reads: /^(?:tree)$/ },
  apt: {
    install: /^(?:install|update|upgrade|remove|build-dep|source)$/,
    reads: /^(?:list|show)$/,
  },
  'apt-get': { install: /^(?:install|update|upgrade|remove|build-dep|source|download)$/ },
  yum: { install: /^(?:install|update|remove)$/ },
  dnf: { install: /^(?:install|update|remove|download)$/ },
  apk: { install: /^(?:add|update|del)$/ },
  brew: { install: /^(?:install|upgrade)$/ },
  npm: {
    install: /^(?:install|i|add|ci|update|uninstall|pack|link)$/,
    reads: /^(?:ls|list|view)$/,
  },
  yarn: { install: /^(?:add|install|upgrade|remove)?$/, reads: /^(?:list|info|why)$/ },
  pnpm: { install: /^(?:add|install|i|update|remove)$/, reads: /^(?:ls|list|why)$/ },
  bun: { install: /^(?:add|install|i|update|remove)$/ },
  gem: { install: /^(?:install|update|fetch)$/, reads: /^(?:list|info)$/ },
  bundle: { install: /^(?:install|update|add)?$/, reads: /^(?:show|list|info)$/ },
  cargo: { install: /^(?:add|install|update|fetch|vendor)$/, reads: /^(?:tree|metadata|search)$/ },
  go: { install: /^(?:get|install|mod)$/, reads: /^(?:list|doc|env|version)$/ },
  composer: { install: /^(?:require|install|update)$/, reads: /^(?:show)$/ },
  luarocks: { install: /^(?:install)$/ },
};
const INSTALLS_ONLY = /^(?:easy_install|cpanm)$/;

/** Null where the command is no package manager, or runs something else by it. */
export function packageAct(
  name: string,
  args: readonly string[],
  at: (path: string) => string,
): Act | null {
  const url = URL.exec(args.join(' '))?.[0] ?? null;
  // `python setup.py install` is an installation by the file's own hand.
  if (name === 'python' && /(?:^|\/)setup\.py$/.test(args[0] ?? '')) {
    const isInstall = /^(?:install|develop|bdist|build)/.test(args[1] ?? '');
    return isInstall ? act('install', 'setup.py install', { args: args.slice(1) }) : null;
  }
  const [tool, words] = name === 'uv' && args[0] === 'pip' ? ['pip', args.slice(1)] : [name, args];
  if (INSTALLS_ONLY.test(tool)) {
    return act('install', tool, { args: words, paths: words.filter(looksLikePath).map(at), url });
  }
  const installer = INSTALLERS[tool];
  if (installer === undefined) return null;
  const place = words.findIndex((word) => !word.startsWith('-'));
  const sub = place === -1 ? '' : (words[place] ?? '').toLowerCase();
  const rest = place === -1 ? words : words.filter((_, index) => index !== place);
  const verb = `${tool} ${sub}`.trim();
  if (installer.install.test(sub)) {
    return act('install', verb, { args: rest, paths: rest.filter(looksLikePath).map(at), url });
  }
  if (installer.reads?.test(sub)) return act('read', verb, { args: rest });
  const kind = /^(?:run|build|exec|start|check|clippy|vet|fmt|generate)$/.test(sub)
    ? 'run'
    : 'other';
  return act(kind, verb, { args: rest, paths: rest.filter(looksLikePath).map(at), url });
}
