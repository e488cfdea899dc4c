// Addresses as people paste them from a browser: with the path of a page, without the base path of the server, or of
// another product. The server itself is queried; no secret is sent before it has identified itself as the product.
import { Type } from '@sinclair/typebox'
import { isPlayheadError, PlayheadError } from '../../errors.ts'
import type { UpstreamAccount } from '../../upstream.ts'

/** Deeper addresses are not pages that people paste. */
const MOST_PARENTS = 6

/** An address and those above it, nearest first, without query and fragment. */
function placesOf(address: string): readonly string[] {
  const url = URL.parse(address)
  if (url === null) return [address]
  const segments = url.pathname.split('/').filter((segment) => segment !== '')
  const paths = segments.map((_, at) => segments.slice(0, segments.length - at)).slice(0, MOST_PARENTS)
  return [...paths, []].map((path) => [url.origin, ...path, ''].join('/'))
}

/**
 * The first place where `look` finds the product: the address, those above it, then those `below` the root if nothing is
 * there. Each has a slash at its end. Continues while the failure means that a server answered, but not as the product
 * (`isElsewhere`); throws other failures at once, and at the end that of the address, or that another product is there.
 *
 * @param below base paths that the product is usually given
 * @example
 * await firstPlace('http://nas:8096/web/index.html#!/home', look, ['jellyfin'])
 * // looks at http://nas:8096/web/index.html/, …/web/, http://nas:8096/, and perhaps at http://nas:8096/jellyfin/
 */
export async function firstPlace<Found>(
  address: string,
  look: (address: string) => Promise<Found>,
  below: readonly string[] = [],
): Promise<Found> {
  let failure: unknown
  let last: unknown
  const places = [...placesOf(address)]
  const root = places.at(-1)
  for (const place of places) {
    try {
      return await look(place)
    } catch (error) {
      if (!isElsewhere(error)) throw error
      // An answer of another product is more informative than no answer at all.
      if (failure === undefined || isPlayheadError(error, 'PLH_INVALID')) failure = error
      last = error
    }
    if (place === root && isPlayheadError(last, 'PLH_NOT_FOUND'))
      places.push(...below.map((path) => `${place}${path}/`))
  }
  throw failure
}

export interface FindServerOptions {
  /** Its name: if something answers, but not as the product (`isElsewhere`), the failure is `wrong_product`. */
  readonly product?: string
  /** Base paths that the product is usually given. */
  readonly below?: readonly string[]
}

/**
 * Finds the server that a person entered: without a scheme with https, then with http, and at each as `firstPlace` does.
 * Throws `PLH_INVALID` (`missing_server`, `invalid_server`, `wrong_product`), and the last failure.
 *
 * @param look asks for what only the product has, without a credential. Its address has no slash at its end
 * @example
 * const look = (server: string) => openApi(kit.trial(instance, { server })).json({ path: 'info' }, Info)
 * const server = await findServer(body.server, look, { product: 'Acme', below: ['acme'] })
 */
export async function findServer(
  entered: string,
  look: (address: string) => Promise<unknown>,
  { product, below = [] }: FindServerOptions = {},
): Promise<string> {
  let failure: unknown
  for (const address of addressesOf(entered)) {
    try {
      return await firstPlace(
        address,
        async (place) => {
          const found = place.replace(/\/$/, '')
          await look(found)
          return found
        },
        below,
      )
    } catch (error) {
      if (!isPlayheadError(error)) throw error
      failure = error
    }
  }
  if (product === undefined || !isElsewhere(failure) || failure.code === 'PLH_INVALID') throw failure
  throw new PlayheadError('PLH_INVALID', `Something answers at this address, but it is not ${product}.`, {
    wire: 'wrong_product',
  })
}

/** Without name, password, query, fragment, and slash at the end. */
function addressesOf(entered: string): readonly string[] {
  const text = entered.trim()
  if (text === '')
    throw new PlayheadError('PLH_INVALID', 'Enter the address of the server.', { wire: 'missing_server' })
  const candidates = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? [text] : [`https://${text}`, `http://${text}`]
  const valid = candidates.flatMap((one) => {
    const url = /^https?:/i.test(one) ? URL.parse(one) : null
    return url === null ? [] : [url.origin + url.pathname.replace(/\/+$/, '')]
  })
  if (valid.length > 0) return valid
  throw new PlayheadError('PLH_INVALID', 'This cannot be an address. An example: http://192.168.1.20:8080.', {
    wire: 'invalid_server',
  })
}

/** True if something answered at the address, but not as the product: it may be at another path of the same server. */
export function isElsewhere(error: unknown): error is PlayheadError {
  if (!isPlayheadError(error)) return false
  const { status, redirect, reason } = error.details ?? {}
  if (error.code === 'PLH_INVALID') return error.wire === 'wrong_product'
  if (error.code === 'PLH_NOT_FOUND') return true
  if (error.code === 'PLH_UPSTREAM_INVALID') return reason === undefined || reason === 'blocked'
  return redirect !== undefined || (typeof status === 'number' && [400, 401, 403, 405, 410].includes(status))
}

const Info = Type.Object({ ProductName: Type.Optional(Type.String()), Version: Type.Optional(Type.String()) })
const Identity = Type.Object({ MediaContainer: Type.Object({ machineIdentifier: Type.String() }) })
const Tautulli = Type.Object({ response: Type.Object({ result: Type.String() }) })
const Playhead = Type.Object({ ok: Type.Boolean(), version: Type.String() })

/**
 * The name of the product that answers at an address, if it names it without a sign-in; undefined otherwise.
 *
 * @param open a connection to an address, without a credential
 */
export async function productAt(
  address: string,
  open: (address: string) => Pick<UpstreamAccount, 'json' | 'request'>,
): Promise<string | undefined> {
  const { origin } = new URL(address)
  const at = open(`${origin}/`)
  const asks: readonly (() => Promise<string | undefined>)[] = [
    async () => {
      const { ProductName: name, Version: version } = await at.json({ path: 'System/Info/Public' }, Info)
      if (name !== undefined) return /jellyfin/i.test(name) ? 'Jellyfin' : /emby/i.test(name) ? 'Emby' : undefined
      return version === undefined ? undefined : 'Emby'
    },
    async () => (await at.json({ path: 'identity' }, Identity)) && 'Plex',
    async () => {
      const answer = await at.request({ path: 'api/v2', accept: [400, 401, 403] })
      await answer.json(Tautulli)
      return 'Tautulli'
    },
    async () => (await at.json({ path: 'api/health' }, Playhead)) && 'Playhead',
  ]
  for (const ask of asks) {
    try {
      const found = await ask()
      if (found !== undefined) return found
    } catch (error) {
      if (!isElsewhere(error)) return undefined
    }
  }
  return undefined
}
