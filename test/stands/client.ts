// Calls of Playhead's routes: of a running service, or of a plugin in a test host.
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_PROFILE, type Provider, providerCapability } from '@playhead/sdk'
import type { TestHost } from '@playhead/sdk/testing'

/** Calls the service, signed in. */
export interface Client {
  json(path: string, init?: RequestInit & { json?: unknown }): Promise<{ status: number; body: any }>
}

/** Knows, too, whether a profile is signed in. */
export interface FlowClient extends Client {
  configured(instance: string): Promise<boolean>
}

/** @param section key of the provider's section in the settings */
export function serviceClient(client: Client, section: string): FlowClient {
  return {
    json: (path, init) => client.json(path, init),
    async configured(instance) {
      const { body } = await client.json(`/api/provider-instances/${section}`)
      return body.find(({ id }: { id: string }) => id === instance)?.configured === true
    },
  }
}

/** @param secure the person comes over https, which some services insist on */
export function hostClient(host: TestHost, provider: string, secure = false): FlowClient {
  return {
    async json(url, { json, method } = {}) {
      const request = {
        url,
        method: (method ?? 'GET') as 'GET',
        ...(json === undefined ? {} : { payload: json as object }),
      }
      const { statusCode, body } = await host.inject(request, { secure })
      return { status: statusCode, body: parse(body) }
    },
    configured: async (instance) =>
      (await providerOf(host, provider).profiles()).find(({ id }) => id === instance)?.configured === true,
  }
}

export function providerOf(host: TestHost, id: string): Provider {
  return host.capability<Provider>(providerCapability(id)) as unknown as Provider
}

/** Gives a profile its settings, credentials among them. */
export async function connect(
  host: TestHost,
  id: string,
  instance: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (instance === DEFAULT_PROFILE) await host.changeConfig(settings)
  else await providerOf(host, id).saveProfile(instance, settings)
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

export async function untilTrue(what: string, check: () => Promise<boolean>, limitMs = 120_000): Promise<void> {
  const endsAt = Date.now() + limitMs
  while (!(await check())) {
    if (Date.now() > endsAt) throw new Error(`${what}: nothing happened within ${limitMs / 1_000} s`)
    await sleep(100)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
