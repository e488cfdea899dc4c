// The parts of the core that the service and the test host open in the same way, and the selection that the plugin host
// gets.
import { randomUUID } from 'node:crypto'
import { defined, type Logger, type Sleep, type Tables } from '@playhead/sdk'
import type { Clock, Timers } from './clock.ts'
import type { RunningConfig } from './config/service.ts'
import type { CoreData } from './data/data.ts'
import { createEventBus } from './events/bus.ts'
import { createLogChannels } from './events/log-channels.ts'
import { createRedactor, type Redactor } from './events/redaction.ts'
import { createStreams } from './events/streams.ts'
import { createTopics, type Topics } from './events/topics.ts'
import { createLogging, type Logging, type LoggingOptions } from './log.ts'
import { createScheduler } from './scheduling/scheduler.ts'
import type { KeyValueDatabase } from './storage/key-value.ts'
import type { Vault } from './storage/vault.ts'
import { createUpstreamHub } from './upstream/hub.ts'
import { VERSION } from './version.ts'
import { createWorkRegistry } from './work/registry.ts'

const NO_SECRETS: ReadonlySet<string> = new Set()

interface LogParts extends Pick<LoggingOptions, 'level' | 'output' | 'pretty'> {
  readonly clock: Clock
  /** The log starts before the configuration, which has the secrets. */
  readonly config: () => Pick<RunningConfig, 'secretValues'> | undefined
}

/** The log, and the parts that decide its contents. */
export function openLog({ clock, config, ...output }: LogParts) {
  const topics = createTopics({
    clock,
    onTooLong: (topic, length) =>
      logging.log.warn({ topic, characters: length }, 'a message of a stream was too long; only its length is sent'),
  })
  const channels = createLogChannels({ topics })
  /** Names that are never redacted; set with each composition. */
  const publicNames: { current: ReadonlySet<string> } = { current: NO_SECRETS }
  const redactor = createRedactor({
    secretValues: () => config()?.secretValues() ?? NO_SECRETS,
    publicNames: () => publicNames.current,
  })
  const logging: Logging = createLogging({ redactValue: redactor.redactValue, channels, clock, ...output })
  return { topics, channels, publicNames, redactor, logging }
}

interface TrafficParts extends Pick<Redactor, 'redact' | 'redactValue'> {
  readonly clock: Clock
  readonly db: Tables
  readonly log: Logger
  readonly topics: Topics
  /** Default: those of the system. */
  readonly timers?: Timers
  readonly sleep?: Sleep
}

/** Events, streams, work, jobs, and requests to services. */
export function openTraffic({ clock, db, log, topics, redact, redactValue, timers, sleep }: TrafficParts) {
  const events = createEventBus({ clock, log, redactValue })
  const work = createWorkRegistry({
    clock,
    onBlock(change, { code, message, plugin }) {
      const isOver = change === 'unblocked'
      if (isOver) log.info({ code, plugin }, 'new work may begin again')
      else log.warn({ code, plugin }, `new work is held: ${message}`)
      events.emit(`work.${change}`, { code, message, plugin })
    },
  })
  const scheduler = createScheduler({
    ...{ db, clock, log: log.channel('SCHEDULER'), hostId: randomUUID() },
    ...defined({ timers }),
  })
  const upstream = createUpstreamHub({ clock, log, redact, ...defined({ sleep }) })
  return { events, streams: createStreams({ topics, log, redact }), work, scheduler, upstream }
}

interface Given {
  readonly config: RunningConfig
  readonly vault: Vault
  readonly data: CoreData
  readonly keyValue: Pick<KeyValueDatabase, 'namespace'>
}

/** The dependencies of the plugin host, taken from these parts and the given ones. */
export function forHost({
  logging,
  redactor,
  channels,
  publicNames,
  ...services
}: ReturnType<typeof openLog> & ReturnType<typeof openTraffic> & Given) {
  const { config, vault, keyValue, data, events, streams, work, scheduler, upstream } = services
  return {
    ...{ config, vault, keyValue, data, events, streams, work, scheduler, upstream },
    log: logging.log,
    pluginLogger: logging.forPlugin,
    redact: redactor.redact,
    version: VERSION,
    logChannels: () => channels.list(),
    setPublicNames(names: ReadonlySet<string>) {
      publicNames.current = names
    },
    setLogChannels: channels.setDeclaredChannels.bind(channels),
  }
}
