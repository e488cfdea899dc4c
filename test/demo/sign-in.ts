// Connects stand-ins to a running service as a person does: through its HTTP API and the sign-in of each product.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Jellyfin } from '../upstreams/jellyfin.ts'
import type { Plex } from '../upstreams/plex.ts'

/** A signed-in HTTP client. */
export interface Client {
  json(path: string, init?: RequestInit & { json?: unknown }): Promise<{ status: number; body: any }>
}

interface Addressed {
  readonly url: string
}

interface TraktSignIn extends Addressed {
  readonly clientId: string
  readonly clientSecret: string
  approve(userCode: string, username?: string): unknown
}

export async function signInToJellyfin(
  client: Client,
  server: Addressed,
  { user = 'sam', password = 'secret', instance = 'default' } = {},
): Promise<void> {
  await expectOk(client, `/api/mediaB/login?instance=${instance}`, { server: server.url, username: user, password })
}

export async function signInByQuickConnect(
  client: Client,
  server: Jellyfin,
  { user = 'sam', instance = 'default' } = {},
): Promise<void> {
  const { code } = await expectOk(client, `/api/mediaB/quickconnect/start?instance=${instance}`, { server: server.url })
  if (!server.approveQuickConnect(String(code), user)) throw new Error(`${server.name} does not know the code ${code}`)
  await untilTrue(
    'Quick Connect',
    async () => (await client.json(`/api/mediaB/quickconnect/poll?instance=${instance}`)).body.state === 'authorized',
  )
}

export async function signInToEmby(
  client: Client,
  server: Addressed,
  { user = 'sam', password = 'secret', instance = 'default' } = {},
): Promise<void> {
  await expectOk(client, `/api/mediaC/login?instance=${instance}`, { server: server.url, username: user, password })
}

export async function signInToPlex(client: Client, plex: Plex, { instance = 'default' } = {}): Promise<void> {
  await saveSettings(client, 'mediaA', { cloud_url: plex.cloud.url, server_url: plex.server.url })
  const { code } = await expectOk(client, `/api/mediaA/pin/new?instance=${instance}`)
  plex.actions.approvePin(String(code))
  await untilTrue(
    'the PIN',
    async () => (await client.json(`/api/mediaA/inspect?instance=${instance}`)).body.connected === true,
  )
}

export async function signInToTrakt(
  client: Client,
  trakt: TraktSignIn,
  { username = 'ada', instance = 'default' } = {},
): Promise<void> {
  await saveSettings(client, 'trackA', { api_url: trakt.url, oauth_url: trakt.url })
  const { user_code: code } = await expectOk(client, `/api/trackA/pin/new?instance=${instance}`, {
    client_id: trakt.clientId,
    client_secret: trakt.clientSecret,
  })
  await trakt.approve(String(code), username)
  await untilTrue(
    'the device code',
    async () => {
      const { body } = await client.json('/api/provider-instances/trackA')
      return body.find((profile: { id: string }) => profile.id === instance)?.configured === true
    },
    60_000,
  )
}

export async function saveSettings(client: Client, section: string, settings: object): Promise<void> {
  await expectOk(client, '/api/config', { [section]: settings })
}

export async function expectOk(client: Client, path: string, json: unknown = {}, method = 'POST'): Promise<any> {
  const { status, body } = await client.json(path, { json, method })
  if (status !== 200 || body?.ok === false)
    throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body).slice(0, 500)}`)
  return body
}

export async function untilTrue(what: string, check: () => Promise<boolean>, limitMs = 30_000): Promise<void> {
  const endsAt = Date.now() + limitMs
  while (!(await check())) {
    if (Date.now() > endsAt) throw new Error(`${what}: nothing happened within ${limitMs / 1_000} s`)
    await sleep(100)
  }
}

/** Starts a run and waits for its end. */
export async function runToEnd(client: Client, request: object = {}, limitMs = 600_000): Promise<any> {
  const { run_id: runId } = await expectOk(client, '/api/run', request)
  let summary: any
  await untilTrue(
    'the run',
    async () => {
      summary = (await client.json('/api/run/summary')).body
      return summary.run_id === runId && summary.running === false
    },
    limitMs,
  )
  return summary
}
