// Checks whether a media server answers at an address, without a token.
import { isPlayheadError, type Static, Type } from '@playhead/sdk'
import { firstPlace } from '@playhead/sdk/provider'
import { shownPlace } from './binding.ts'
import { originOf } from './servers.ts'
import { openConnection, type PlexAccount } from '../upstream.ts'
import { Identity } from '../wire.ts'

export const ProbeAnswer = Type.Object({
  connected: Type.Boolean({ description: 'The profile is signed in.' }),
  server_url: Type.String(),
  reachable: Type.Boolean(),
  status: Type.Union([Type.Integer(), Type.Null()]),
  instance: Type.String(),
  error: Type.Optional(Type.String()),
  token_source: Type.Optional(Type.String()),
  verify_ssl: Type.Optional(Type.Boolean()),
})
type Answer = Omit<Static<typeof ProbeAnswer>, 'instance'>

interface ProbeOptions {
  readonly url: string
  readonly verifyTls: boolean | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export async function probeServer(
  account: PlexAccount,
  { url, verifyTls = account.profile.verify_ssl, timeoutMs, signal }: ProbeOptions,
): Promise<Answer> {
  const { profile } = account
  const base = url === '' ? profile.server_url : url
  const unreached = { server_url: base, reachable: false, status: null }
  if (profile.account_token === '') return { connected: false, ...unreached, error: 'Not connected' }
  if (base === '') return { connected: true, ...unreached, error: 'No server_url configured' }
  const isBound = profile.pms_token !== '' && originOf(profile.pms_token_server) === originOf(base)
  const known = {
    connected: true,
    server_url: base,
    token_source: isBound ? 'pms_token' : 'account_token',
    ...(verifyTls ? {} : { verify_ssl: false }),
  }
  try {
    // People paste the address of a page.
    return await firstPlace(base, async (place) => {
      const connection = openConnection(account, { name: 'probe', baseUrl: place, timeoutMs, verifyTls, tries: 1 })
      const answer = await connection.request({ path: '/identity', signal })
      await answer.json(Identity)
      return { ...known, server_url: shownPlace(place, base), reachable: true, status: answer.status }
    })
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    const status = error.details?.['status']
    if (typeof status === 'number') return { ...known, reachable: true, status, error: 'probe_failed' }
    const isSilent = error.code === 'PLH_UPSTREAM' || error.code === 'PLH_UPSTREAM_TIMEOUT'
    return {
      ...known,
      reachable: false,
      status: null,
      error: error.wire === 'tls_error' ? 'tls_error' : isSilent ? 'No response' : 'probe_failed',
    }
  }
}
