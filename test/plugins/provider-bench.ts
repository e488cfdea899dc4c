// Shared by the tests of all provider plugins: helpers to read, write and call a provider in a test host.
import { readFileSync } from 'node:fs'
import type { Item, PluginManifest, Static, TObject } from '@playhead/sdk'
import {
  collectRead,
  defineProvider,
  type Feature,
  type Provider,
  type ProviderDefinition,
  type ProviderKit,
  type ReadRequest,
  type WriteItem,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { createTestHost, type TestClock, type TestHost, type TestHostOptions } from '@playhead/sdk/testing'
import { providerOf } from '../stands/client.ts'

/**
 * The manifest of a provider as in a release.
 * @param clientId of the shipped application; undefined: unchanged
 */
export function shippedManifest(plugin: string, clientId: string | undefined): PluginManifest | URL {
  const url = new URL(`../../plugins/providers/${plugin}/plugin.json`, import.meta.url)
  if (clientId === undefined) return url
  const manifest = JSON.parse(readFileSync(url, 'utf8')) as PluginManifest
  return { ...manifest, provider: { ...manifest.provider!, clientId } }
}

/** A directory of accounts in which no account is used. */
export const UNUSED = { accounts: { assertUnused: async () => {}, forget: async () => {} } }

export interface HostOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly capabilities?: Readonly<Record<string, object>>
  readonly clock?: TestClock | undefined
}

export interface SignInOptions extends HostOptions {
  readonly signedIn?: boolean
  /** The application of the stand-in ships with the plugin. */
  readonly ships?: boolean
}

interface Served {
  readonly requests: readonly { readonly method: string; readonly path: string }[]
  close(): Promise<void>
}

/**
 * A plugin in a host, and ways to talk to it. Both end with it, the stand-in too.
 *
 * @param id `TRACKA`
 * @param config settings before those of the options
 */
export async function openBench(
  server: Served,
  id: string,
  { plugin, manifest }: Pick<TestHostOptions, 'plugin' | 'manifest'>,
  config: object,
  { settings = {}, capabilities = UNUSED, clock }: HostOptions,
) {
  const host = await createTestHost({
    plugin,
    ...(manifest === undefined ? {} : { manifest }),
    capabilities,
    ...(clock === undefined ? {} : { clock }),
    config: { ...config, ...settings },
  })
  const since = sinceLast(server)
  return {
    host,
    ...talkTo(host, id),
    since,
    /** Requests since the last call. */
    asked: () => since().length,
    async [Symbol.asyncDispose]() {
      await host.close()
      await server.close()
    },
  }
}

export interface WriteMore {
  readonly plays?: boolean
  readonly instance?: string
}

export interface Talk {
  readonly provider: Provider
  /** All rows of a read, and its end. */
  read(feature: Feature, request?: Partial<ReadRequest>, instance?: string): ReturnType<typeof collectRead>
  /** Items have the keys `k0`, `k1`, … */
  send(feature: Feature, op: WriteRequest['op'], items: readonly Item[], more?: WriteMore): Promise<WriteResult>
  /** Outcomes as `applied` or `rejected:provider_limit`, in the order of the items. */
  write(feature: Feature, op: WriteRequest['op'], items: readonly Item[], more?: WriteMore): Promise<string[]>
  call(method: 'GET' | 'POST', url: string, payload?: object): Promise<{ readonly status: number; readonly body: any }>
}

/** @param id `TRACKA` */
export function talkTo(host: TestHost, id: string): Talk {
  const provider = providerOf(host, id)
  const send: Talk['send'] = (feature, op, items, { plays, instance = 'default' } = {}) => {
    const written = items.map((item, index): WriteItem => ({ key: `k${index}`, item }))
    return provider.write(instance, { feature, op, items: written, ...(plays === undefined ? {} : { plays }) })
  }
  return {
    provider,
    send,
    read: (feature, request = {}, instance = 'default') =>
      collectRead(provider.read(instance, { feature, ...request })),
    async write(feature, op, items, more) {
      const { outcomes } = await send(feature, op, items, more)
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}:${reason}`))
    },
    async call(method, url, payload) {
      const answer = await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
      return { status: answer.statusCode, body: answer.json() }
    },
  }
}

/** The plugin of a definition, and the kit that it receives when it is loaded. */
export function withKit<Schema extends TObject, Session>(definition: ProviderDefinition<Schema, Session>) {
  let kit: ProviderKit<Static<Schema>, Session> | undefined
  return {
    plugin: defineProvider({
      ...definition,
      async setup(ctx, given) {
        kit = given
        await definition.setup?.(ctx, given)
      },
    }),
    kit() {
      if (kit === undefined) throw new Error('the plugin was not set up')
      return kit
    },
  }
}

/** Requests of a stand-in since the last call. */
export function sinceLast<Request>({ requests }: { readonly requests: readonly Request[] }): () => readonly Request[] {
  let counted = 0
  return () => {
    const since = requests.slice(counted)
    counted = requests.length
    return since
  }
}

/** The error code of the work. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return (await failureOf(work))?.code ?? 'nothing was thrown'
}

/** `PLH_NOT_READY not_configured` */
export async function codeAndWireOf(work: Promise<unknown>): Promise<string> {
  const failure = await failureOf(work)
  return failure === undefined ? 'nothing was thrown' : `${failure.code} ${failure.wire}`
}

async function failureOf(
  work: Promise<unknown>,
): Promise<{ readonly code: string; readonly wire: string } | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    const { code, wire } = error as { readonly code?: unknown; readonly wire?: unknown }
    return { code: String(code), wire: String(wire) }
  }
}
