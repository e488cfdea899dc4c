// What happens to plugins, told to people: on the stream that operators watch, on the event bus, and in the plugin's
// own log channel.
import type { Logger } from '@playhead/sdk'
import { runAsHost } from './attribution.ts'
import type { HostDependencies } from './dependencies.ts'
import { summaryOf } from './plugin-view.ts'
import type { PluginState, Slot } from './slot.ts'

/** The stream of `GET /api/plugins/stream`. */
export const PLUGIN_TOPIC = 'plugins'

export interface Teller {
  tell(event: string, slot: Slot, more?: Readonly<Record<string, unknown>>): void
  /** Sets the state and tells it, if it is another. */
  state(slot: Slot, state: PluginState): void
  /** A logger whose lines stand in the plugin's channel. */
  log(slot: Slot): Logger
}

export function createTeller(core: Pick<HostDependencies, 'streams' | 'events' | 'pluginLogger'>): Teller {
  function tell(event: string, slot: Slot, more: Readonly<Record<string, unknown>> = {}): void {
    const summary = summaryOf(slot)
    runAsHost(() => {
      core.streams.publish(PLUGIN_TOPIC, { event, data: JSON.stringify({ ...summary, ...more }) })
      core.events.emit(event, { plugin: slot.id, state: slot.state, generation: summary.generation, ...more })
    })
  }
  return {
    tell,
    state(slot, state) {
      if (slot.state === state) return
      slot.state = state
      tell('plugin.state', slot)
    },
    log: (slot) =>
      core.pluginLogger({ plugin: slot.id, generation: slot.seq, channels: [], tag: slot.manifest?.provider?.id }),
  }
}
