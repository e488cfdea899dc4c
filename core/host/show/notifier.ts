// Publishes plugin state changes: on the operators' stream, on the event bus, and in the plugin's log channel.
import type { Logger } from '@playhead/sdk'
import { runAsHost } from '../run/attribution.ts'
import type { HostDependencies } from '../dependencies.ts'
import { summaryOf } from './plugin-view.ts'
import { shownState, type Slot, type SlotEvent } from '../compose/slot.ts'

/** The stream of `GET /api/plugins/stream`. */
const PLUGIN_TOPIC = 'plugins'

export interface Notifier {
  publish(event: string, slot: Slot, more?: Readonly<Record<string, unknown>>): void
  /** Changes the state, and publishes it if the visible state is a different one. */
  change(slot: Slot, event: SlotEvent): void
  /** Number of published changes. */
  published(): number
  /** A logger for the plugin's channel. */
  log(slot: Slot): Logger
}

export function createNotifier(core: Pick<HostDependencies, 'streams' | 'events' | 'pluginLogger'>): Notifier {
  let published = 0

  function publish(event: string, slot: Slot, more: Readonly<Record<string, unknown>> = {}): void {
    published += 1
    const summary = summaryOf(slot)
    runAsHost(() => {
      core.streams.publish(PLUGIN_TOPIC, { event, data: JSON.stringify({ ...summary, ...more }) })
      const { state, generation } = summary
      core.events.emit(event, { plugin: slot.id, state, generation, ...more })
    })
  }
  return {
    publish,
    published: () => published,
    change(slot, event) {
      const before = shownState(slot.state)
      slot.change(event)
      if (shownState(slot.state) !== before) publish('plugin.state', slot)
    },
    log: (slot) =>
      core.pluginLogger({ plugin: slot.id, generation: slot.seq, channels: [], tag: slot.manifest?.provider?.id }),
  }
}
