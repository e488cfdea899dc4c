// Acme's HTTP interface. Limits, retries, the credential and its secrecy are the business of `upstream`.
import { PlayheadError, Type, type Static, type UpstreamAccount, type UpstreamFactory } from '@playhead/sdk'

export const Settings = Type.Object({
  server: Type.String({ default: '', description: 'Address of the server, for example http://192.168.1.20:8096' }),
  api_key: Type.String({ default: '', secret: true, description: 'Made in the server\'s settings' }),
})

const User = Type.Object({ name: Type.String() })
export type User = Static<typeof User>

/** One play, as Acme has it. */
export interface Play {
  readonly id: string
  readonly title: string
  readonly watchedAtMs: number
}

export interface Client {
  isConfigured(): boolean
  user(): Promise<User>
  watched(): AsyncIterable<Play>
}

export function createClient(upstream: UpstreamFactory, { server, api_key: apiKey }: Static<typeof Settings>): Client {
  let account: UpstreamAccount | null = null
  const open = (): UpstreamAccount => {
    if (server === '') throw new PlayheadError('PLH_NOT_READY', 'Acme is not set up. Enter the address of the server.')
    account ??= upstream.account({
      account: 'ACME@default',
      baseUrl: server,
      limits: { concurrency: 2 },
      credential: { secrets: () => ({ apiKey }), place: [{ in: 'header', name: 'x-api-key', template: '{apiKey}' }] },
    })
    return account
  }

  return {
    isConfigured: () => server !== '' && apiKey !== '',
    user: () => open().json({ path: 'me' }, User),
    async* watched() {
      const answer = await open().request({ path: 'history' })
      // A list that breaks off throws: half a history never looks like a whole one.
      for await (const item of answer.items('plays')) yield toPlay(item)
    },
  }
}

function toPlay(item: unknown): Play {
  const { id, title, watched_at: watchedAt } = item as { id?: unknown; title?: unknown; watched_at?: unknown }
  const watchedAtMs = typeof watchedAt === 'string' ? Date.parse(watchedAt) : Number.NaN
  if (typeof id !== 'string' || typeof title !== 'string' || Number.isNaN(watchedAtMs)) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Acme sent a play without id, title or time.')
  }
  return { id, title, watchedAtMs }
}
