// The credential of an account: added to each request at the last moment, refreshed before expiry and after a refusal,
// and removed from every text that leaves the client.
import { type AccountOptions, type Logger, PlayheadError } from '@playhead/sdk'
import type { HttpHeaders } from './headers.ts'
import type { Limit } from './limit.ts'
import { isInsideRefresh, REFRESH_AGAIN_AFTER_MS, type RefreshJob, type Refresher } from './refresher.ts'

const DEFAULT_SKEW_MS = 60_000
// Redacting shorter secrets would garble the text.
const MIN_REDACTED_LENGTH = 4

/** A credential as it was sent. */
export interface Placed {
  /** The headers with the credential; for the same object the same result. */
  headers(own: HttpHeaders): HttpHeaders
  /** The query with the credential. */
  query(own: string): string
  /** True if the account's credential is unchanged since. */
  isCurrent(): boolean
}

export interface Credential {
  /** Refreshes the credential if it expires soon; undefined if it does not. */
  ready(limit: Limit): Promise<void> | undefined
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

  let last: { readonly secrets: Secrets; readonly values: readonly string[]; readonly placed: Placed } | undefined

  // Rendered again only when a secret has changed: a sync sends thousands of requests with the same ones.
  function render() {
    const secrets = options.secrets()
    if (last !== undefined && isSame(last.secrets, secrets)) return last
    const values = options.place.map(({ template }) => fill(account, template, secrets))
    const placedIn = (isHeader: boolean) =>
      options.place.flatMap(({ in: where, name }, index) =>
        (where === 'header') === isHeader ? [[name, values[index]!] as const] : [],
      )
    const inHeaders = Object.fromEntries(placedIn(true).map(([name, value]) => [name.toLowerCase(), value]))
    const inQuery = placedIn(false)
    let given: HttpHeaders | undefined
    let withCredential: HttpHeaders = {}
    const placed: Placed = {
      headers(own) {
        if (own !== given) [given, withCredential] = [own, { ...own, ...inHeaders }]
        return withCredential
      },
      query(own) {
        if (inQuery.length === 0) return own
        const params = new URLSearchParams(own)
        for (const [name, value] of inQuery) params.set(name, value)
        return `?${params.toString()}`
      },
      isCurrent: () => render().values.every((value, index) => value === values[index]),
    }
    return (last = { secrets: { ...secrets }, values, placed })
  }

  async function refreshEarly(job: RefreshJob, expiresAtMs: number, limit: Limit): Promise<void> {
    try {
      await refresher.refresh(job, limit.signal)
    } catch (error) {
      if (limit.error !== undefined || expiresAtMs <= now()) throw error
      deps.log.warn(
        { account, err: error },
        'the credential was not refreshed yet; the old one is used until it expires',
      )
    }
  }

  return {
    ready(limit) {
      const expiresAtMs = options.expiresAtMs?.()
      if (job === null || expiresAtMs === undefined || isOwnRefresh()) return undefined
      if (expiresAtMs - now() >= (options.refreshSkewMs ?? DEFAULT_SKEW_MS)) return undefined
      if (expiresAtMs > now() && now() - refresher.endedAtMs() < REFRESH_AGAIN_AFTER_MS) return undefined
      return refreshEarly(job, expiresAtMs, limit)
    },

    place: () => render().placed,

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

type Secrets = Readonly<Record<string, string | undefined>>

function isSame(a: Secrets, b: Secrets): boolean {
  for (const name in a) if (a[name] !== b[name]) return false
  for (const name in b) if (a[name] !== b[name]) return false
  return true
}

function fill(account: string, template: string, secrets: Secrets): string {
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
