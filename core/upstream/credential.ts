// The credential of an account: added to each request at the last moment, refreshed before expiry and after a refusal,
// and removed from every text that leaves the client.
import { type AccountOptions, type CredentialPlacement, type Logger, PlayheadError } from '@playhead/sdk'
import type { Limit } from './limit.ts'
import { isInsideRefresh, REFRESH_AGAIN_AFTER_MS, type RefreshJob, type Refresher } from './refresher.ts'

const DEFAULT_SKEW_MS = 60_000
// Redacting shorter secrets would garble the text.
const MIN_REDACTED_LENGTH = 4

/** A credential as it was sent. */
export interface Placed {
  into(url: URL, headers: Record<string, string>): void
  /** True if the account's credential is unchanged since. */
  isCurrent(): boolean
}

export interface Credential {
  /** Refreshes the credential if it expires soon. */
  ready(limit: Limit): Promise<void>
  /** Reads the current secrets. Throws `PLH_AUTH_FAILED` if one is missing. */
  place(): Placed
  /** After a 401. True if there is another credential to try. */
  renew(refused: Placed, signal: AbortSignal): Promise<boolean>
  /** Removes the secrets from a text. */
  hide(text: string): string
}

interface CredentialDependencies {
  readonly account: string
  readonly now: () => number
  readonly log: Logger
  readonly refresher: Refresher
  readonly run: RefreshJob['run']
  readonly signal: AbortSignal
}

export function createCredential(
  options: NonNullable<AccountOptions['credential']>,
  deps: CredentialDependencies,
): Credential {
  const { account, now, refresher } = deps
  const job: RefreshJob | null =
    options.refresh === undefined ? null : { work: options.refresh, run: deps.run, signal: deps.signal }
  const isOwnRefresh = () => isInsideRefresh(account)

  const render = (): readonly Rendered[] => {
    const secrets = options.secrets()
    return options.place.map((placement) => ({ placement, value: fill(account, placement.template, secrets) }))
  }

  return {
    async ready(limit) {
      const expiresAtMs = options.expiresAtMs?.()
      if (job === null || expiresAtMs === undefined || isOwnRefresh()) return
      if (expiresAtMs - now() >= (options.refreshSkewMs ?? DEFAULT_SKEW_MS)) return
      const isStillValid = () => expiresAtMs > now()
      if (isStillValid() && now() - refresher.endedAtMs() < REFRESH_AGAIN_AFTER_MS) return
      try {
        await refresher.refresh(job, limit.signal)
      } catch (error) {
        if (limit.error !== undefined || !isStillValid()) throw error
        deps.log.warn(
          { account, err: error },
          'the credential was not refreshed yet; the old one is used until it expires',
        )
      }
    },

    place() {
      const rendered = render()
      return {
        into(url, headers) {
          for (const { placement, value } of rendered) {
            if (placement.in === 'query') url.searchParams.set(placement.name, value)
            else headers[placement.name.toLowerCase()] = value
          }
        },
        isCurrent: () => identityOf(render()) === identityOf(rendered),
      }
    },

    async renew(refused, signal) {
      if (isOwnRefresh()) return false
      // Another request refreshed it, or the user signed in again, meanwhile.
      if (!refused.isCurrent()) return true
      if (job === null) return false
      await refresher.refresh(job, signal)
      return true
    },

    hide(text) {
      let result = text
      for (const secret of Object.values(options.secrets())) {
        if (secret === undefined || secret.length < MIN_REDACTED_LENGTH) continue
        result = result.replaceAll(secret, '…').replaceAll(encodeURIComponent(secret), '…')
      }
      return result
    },
  }
}

interface Rendered {
  readonly placement: CredentialPlacement
  readonly value: string
}

function identityOf(rendered: readonly Rendered[]): string {
  return JSON.stringify(rendered.map(({ value }) => value))
}

function fill(account: string, template: string, secrets: Readonly<Record<string, string | undefined>>): string {
  const value = template.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const secret = secrets[name]
    if (secret === undefined || secret === '') {
      throw new PlayheadError('PLH_AUTH_FAILED', `${account}: there is no ${name}. Sign in first.`, {
        details: { account, missing: name },
      })
    }
    return secret
  })
  // A line break would start a header of its own.
  if (/[\r\n\0]/.test(value)) {
    throw new PlayheadError('PLH_AUTH_FAILED', `${account}: the credential holds a line break. Enter it again.`, {
      details: { account },
    })
  }
  return value
}
