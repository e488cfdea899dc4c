// The overview of scrobbling, kept current while the page is open, and the names in it.
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api, type Answer, type Body, type Input, type Operation } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { acrossPersons } from '../../parts/persons/persons.ts'

export type Overview = Answer<'GET /api/scrobbler/overview'>
export type Route = Overview['routes'][number]
export type Webhook = Overview['webhooks'][number]
export type Group = Overview['watcher_runtime']['groups'][number]
export type Source = Overview['eligible_sources'][number]
export type Sink = Overview['destination_availability'][number]
export type SettingsBody = Body<'POST /api/scrobbler/settings'>

/** One way from a media server account to a tracker account. */
export interface Way {
  readonly key: string
  readonly provider: string
  readonly instance: string
  readonly sink: string
  readonly sinkInstance: string
  readonly enabled: boolean
  /** "Jellyfin", or "Jellyfin (Kim)" for a profile other than the default. */
  readonly sourceName: string
  readonly sinkName: string
  readonly source: Source | undefined
  /** Exactly one of `route` and `webhook` is set. */
  readonly route?: Route
  readonly webhook?: Webhook
}

/** Operations that answer with the overview after the change. */
type SavingOperation = Extract<
  Operation,
  `${'POST' | 'PUT' | 'DELETE'} /api/scrobbler/${'routes' | 'webhooks' | 'settings'}${string}`
>

const KEY = ['scrobbling', 'overview'] as const
const POLL_MS = 5_000

export function useOverview() {
  return useRead(KEY, 'GET /api/scrobbler/overview', undefined, { refetchInterval: POLL_MS })
}

/** Carries out a change and shows the overview that it returns. Undefined: it would cross persons, and was declined. */
export function useSave(): <Key extends SavingOperation>(
  operation: Key,
  input: Omit<Input<Key>, 'signal'>,
) => Promise<Overview | undefined> {
  const client = useQueryClient()
  return useCallback(
    async (operation, input) => {
      // A poll that started before the change would show the earlier state.
      await client.cancelQueries({ queryKey: KEY })
      const send = api as (operation: Operation, input: object) => Promise<unknown>
      const { body, ...rest } = input as { readonly body?: object }
      const answer = await acrossPersons((confirmed) =>
        send(operation, body === undefined ? input : { ...rest, body: { ...body, ...confirmed } }),
      )
      const overview = answer as Overview | undefined
      if (overview !== undefined) client.setQueryData(KEY, overview)
      return overview
    },
    [client],
  )
}

export function useRefresh(): () => Promise<void> {
  const client = useQueryClient()
  return useCallback(() => client.invalidateQueries({ queryKey: ['scrobbling'] }), [client])
}

export function accountName(label: string, instance: string, profile: string): string {
  return instance === 'default' ? label : `${label} (${profile})`
}

export function waysOf({ routes, webhooks, eligible_sources: sources }: Overview): readonly Way[] {
  const sourceOf = (id: string) => sources.find(({ provider }) => provider === id)
  const all = [
    ...routes.map(
      (route): Way => ({
        key: `route ${route.id}`,
        provider: route.provider,
        instance: route.provider_instance,
        sink: route.sink,
        sinkInstance: route.sink_instance,
        enabled: route.enabled,
        sourceName: accountName(route.source_label, route.provider_instance, route.source_profile_label),
        sinkName: accountName(route.sink_label, route.sink_instance, route.sink_profile_label),
        source: sourceOf(route.provider),
        route,
      }),
    ),
    ...webhooks.map(
      (webhook): Way => ({
        key: `webhook ${webhook.id}`,
        provider: webhook.provider,
        instance: webhook.provider_instance,
        sink: webhook.sink,
        sinkInstance: webhook.sink_instance,
        enabled: webhook.enabled,
        sourceName: accountName(webhook.provider_label, webhook.provider_instance, webhook.profile_label),
        sinkName: accountName(webhook.sink_label, webhook.sink_instance, webhook.sink_profile_label),
        source: sourceOf(webhook.provider),
        webhook,
      }),
    ),
  ]
  return all.sort((a, b) => a.sourceName.localeCompare(b.sourceName) || a.sinkName.localeCompare(b.sinkName))
}
