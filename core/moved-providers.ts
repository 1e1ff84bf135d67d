// Addresses of models lie outside the config digest, so a server may move while a campaign runs.
import type { CampaignConfig } from './schemas/campaign-config.ts';

type Providers = CampaignConfig['providers'];
type Addresses = Readonly<Record<string, string>>;

/** Of those that answer over HTTP. */
export const addressesOf = (providers: Providers): Addresses =>
  Object.fromEntries(
    Object.entries(providers).flatMap(([name, one]) =>
      'base_url' in one ? [[name, one.base_url] as const] : [],
    ),
  );

/** The providers at these addresses; one without an address stays where it is. */
export const withAddresses = (providers: Providers, addresses: Addresses): Providers =>
  Object.fromEntries(
    Object.entries(providers).map(([name, one]) => {
      const address = Object.hasOwn(addresses, name) ? addresses[name] : undefined;
      return [
        name,
        'base_url' in one && address !== undefined ? { ...one, base_url: address } : one,
      ];
    }),
  );
