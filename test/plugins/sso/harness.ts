// The real service with only the sign-in plugin, a stand-in for Plex, and browsers that keep their cookies.
import { join } from 'node:path'
import { mock } from 'node:test'
import type { Test } from 'tap'
import { PASSWORD, startService, USERNAME, type ServiceOptions } from '../../harness.ts'
import { startPlex } from '../../upstreams/plex.ts'

export const SSO = '/api/app-auth/mediaA'
const FOLDER = join(import.meta.dirname, '../../../plugins/services/sso')

export interface Answer {
  readonly status: number
  readonly body: any
  readonly headers: Headers
  /** Every Set-Cookie of the answer. */
  readonly cookies: readonly string[]
}

export interface Call {
  readonly json?: unknown
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Browser {
  readonly jar: Map<string, string>
  call(path: string, options?: Call): Promise<Answer>
  /** Path below the plugin's paths, as for `post`. */
  get(path: string): Promise<Answer>
  post(path: string, json?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  isSignedIn(): Promise<boolean>
}

export async function openWorld(t: Test, options: ServiceOptions = {}) {
  const service = await startService({ watch: false, ...options })
  t.teardown(() => service[Symbol.asyncDispose]())
  const plex = await startPlex({ movies: 1, shows: 1, cloudTitles: 1 })
  t.teardown(() => plex.close())
  await service.config.change('test', (draft) =>
    Object.assign(draft, { plugins: { sso: { cloud_url: plex.cloud.url } } }),
  )
  await service.writeRegistry([{ id: 'sso', source: FOLDER }])
  await service.host.rescan()

  // Freezes time; the test advances it.
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())

  function browser(cookies: Readonly<Record<string, string>> = {}): Browser {
    const jar = new Map(Object.entries(cookies))

    async function call(path: string, { json, method, headers }: Call = {}): Promise<Answer> {
      const answer = await fetch(service.url + path, {
        method: method ?? (json === undefined ? 'GET' : 'POST'),
        redirect: 'manual',
        headers: {
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
      const set = answer.headers.getSetCookie()
      for (const cookie of set) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        if (value === '') jar.delete(name)
        else jar.set(name, value)
      }
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.includes('json') === true
      return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers, cookies: set }
    }

    return {
      jar,
      call,
      get: (path) => call(SSO + path),
      post: (path, json = {}, headers = {}) => call(SSO + path, { json, headers }),
      isSignedIn: async () => (await call('/api/app-auth/status')).body.authenticated as boolean,
    }
  }

  const world = {
    service,
    plex,
    browser,
    /** Approves the code in the address of the browser's redirect to Plex. */
    approve: (begun: Answer, who: 'owner' | 'friend' = 'owner') => plex.actions.approvePin(codeOf(begun), who),
    tick: (ms: number) => mock.timers.tick(ms),
    /** The administrator's browser, signed in with the password. */
    async administrator(): Promise<Browser> {
      const own = browser()
      const answer = await own.call('/api/app-auth/login', { json: { username: USERNAME, password: PASSWORD } })
      if (answer.status !== 200) throw new Error(`the administrator could not sign in: ${answer.status}`)
      return own
    },
    /** Links an account from a signed-in browser. */
    async link(own: Browser, who: 'owner' | 'friend' = 'owner'): Promise<Answer> {
      const begun = await own.post('/link/start')
      world.approve(begun, who)
      return await own.post('/link/check', { state: begun.body.state })
    },
    /** Signs a new browser in through Plex. */
    async signIn(
      who: 'owner' | 'friend' = 'owner',
      body: object = {},
    ): Promise<{ readonly own: Browser; readonly answer: Answer }> {
      const own = browser()
      const begun = await own.post('/start', body)
      world.approve(begun, who)
      return { own, answer: await own.post('/check', { state: begun.body.state }) }
    },
    stored: () => (service.config.current()['app_auth'] as any).mediaA_sso,
    audit: (name: string) => service.events.recent({ name: `auth.${name}` }),
    liveTokens: () => [...plex.state.tokens.keys()],
  }
  return world
}

export function codeOf(begun: Answer): string {
  return fragmentOf(begun).get('code') ?? ''
}

/** Parameters behind the #? in the address of Plex's sign-in page. */
export function fragmentOf(begun: Answer): URLSearchParams {
  return new URLSearchParams(new URL(begun.body.auth_url).hash.slice(2))
}
