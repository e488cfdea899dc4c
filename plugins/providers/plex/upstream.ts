// Connections to Plex: common headers, and one connection per host, so that a rate limit of one host does not delay
// others.
import { createHash } from 'node:crypto'
import { type AccountContext, defined, type UpstreamAccount } from '@playhead/sdk'
import type { PlexProfile } from './settings.ts'

export type PlexAccount = AccountContext<PlexProfile>

interface ConnectionOptions {
  /** Separates connections of the account: `cloud`, `server`. */
  readonly name: string
  readonly baseUrl: string
  /** Undefined without a token. */
  readonly token?: () => string | undefined
  readonly refresh?: (signal: AbortSignal) => Promise<void>
  readonly timeoutMs?: number
  readonly verifyTls?: boolean
  readonly concurrency?: number
  readonly tries?: number
  readonly ownPages?: readonly number[]
}

export function openConnection(
  account: PlexAccount,
  { name, baseUrl, token, refresh, timeoutMs, verifyTls, concurrency = 4, tries, ownPages }: ConnectionOptions,
): UpstreamAccount {
  const { profile } = account
  return account.ctx.upstream.account({
    account: `${account.name}/${name}`,
    baseUrl,
    entered: true,
    ...defined({ ownPages }),
    limits: { concurrency },
    headers: headersOf(account),
    timeoutMs: timeoutMs ?? profile.timeout * 1_000,
    tries: tries ?? profile.max_retries + 1,
    ...defined({ verifyTls }),
    ...(token === undefined
      ? {}
      : {
          credential: {
            secrets: () => ({ token: token() }),
            place: [{ in: 'header' as const, name: 'X-Plex-Token', template: '{token}' }],
            ...defined({ refresh }),
          },
        }),
  })
}

/** Client id of this installation. A profile without one gets a stable derived id. */
function clientIdOf({ profile, name }: Pick<PlexAccount, 'profile' | 'name'>): string {
  if (profile.client_id !== '') return profile.client_id
  return createHash('sha256').update(`playhead ${name}`).digest('hex').slice(0, 24)
}

function headersOf(account: PlexAccount): Record<string, string> {
  return {
    accept: 'application/json',
    'X-Plex-Client-Identifier': clientIdOf(account),
    'X-Plex-Product': 'Playhead',
    'X-Plex-Version': account.ctx.host.version,
    'X-Plex-Platform': 'Node',
    'X-Plex-Device': 'Playhead',
    'X-Plex-Device-Name': 'Playhead',
  }
}
