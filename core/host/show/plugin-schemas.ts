// Response schemas of the operator's plugin API; see plugin-view.ts for the values.
import { oneOf, orNull, PluginManifest, PluginNeeds, Type } from '@playhead/sdk'
import { PLUGIN_STATES } from '../compose/slot.ts'

const Text = Type.String()
const Count = Type.Integer()
const Time = orNull(Type.Integer({ description: 'Epoch milliseconds.' }))

const SUMMARY = {
  id: Text,
  name: Text,
  version: orNull(Text),
  description: Text,
  notice: orNull(Type.String({ description: 'What a service asks to be said where its data are shown.' })),
  kind: orNull(oneOf(['provider', 'feature', 'analyzer', 'exporter', 'importer', 'notifier', 'service'])),
  origin: oneOf(['bundled', 'user']),
  enabled: Type.Boolean(),
  state: oneOf(PLUGIN_STATES),
  generation: orNull(Count),
  reloads: Count,
  faults: Count,
  last_error: orNull(
    Type.Object({
      phase: Text,
      code: Text,
      message: Text,
      file: orNull(Text),
      line: orNull(Count),
      column: orNull(Count),
      stack: orNull(Text),
      at: Count,
      source_hash: orNull(Text),
      of_edit: Type.Boolean({
        description:
          'An edit could not be loaded: the version before it runs. False for a failure of unedited sources.',
      }),
    }),
  ),
  provider: orNull(PluginManifest.properties.provider),
  ui: Type.Object({
    pages: Type.Array(Type.Object({ path: Text, title: Text, icon: orNull(Text), url: Text })),
    panels: Type.Array(Type.Object({ slot: oneOf(['home', 'connection', 'pair']), title: Text, url: Text })),
  }),
}
export const PluginSummary = Type.Object(SUMMARY, { title: 'PluginSummary' })

export const Plugin = Type.Object(
  {
    ...SUMMARY,
    directory: Text,
    api: orNull(Text),
    source_hash: orNull(Text),
    activated_at: Time,
    routes: Type.Array(Type.Object({ method: Text, path: Text, auth: Text })),
    hooks: Type.Array(Type.Object({ hook: Text, name: Text, stage: Type.Number() })),
    declares_hooks: Type.Record(Type.String(), Type.String(), { description: 'The kinds of its hooks, by name.' }),
    listens_to: Type.Array(Text),
    services: Type.Array(Text),
    jobs: Type.Array(
      Type.Object({
        name: Text,
        next_at: Time,
        last_started_at: Time,
        last_finished_at: Time,
        last_outcome: orNull(Text),
        running: Type.Boolean(),
      }),
    ),
    provides: Type.Array(Text),
    requires: Type.Array(Text),
    needs: PluginNeeds,
    sections: Type.Array(Type.Object({ path: Text }), {
      description: 'Its settings: GET /api/config/sections/{path}.',
    }),
    phases: orNull(
      Type.Object({
        watch_ms: Type.Number(),
        compile_ms: Type.Number(),
        stage_ms: Type.Number(),
        publish_ms: Type.Number(),
        from_cache: Type.Boolean(),
      }),
    ),
    in_flight: Count,
    timers: Count,
    draining: Type.Array(Type.Object({ generation: Count, in_flight: Count })),
    recent_faults: Count,
    retry_at: Time,
    stuck: Type.Array(Text),
    leaked_generations: Type.Array(Count),
  },
  { title: 'Plugin' },
)

export const Problems = Type.Array(Type.Object({ code: Text, message: Text }))
