// The `console` of a plugin writes redacted lines to the plugin's log channel. Based on Node's Console for tables,
// groups and timers; created on first use.
import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { format } from 'node:util'
import type { Logger } from '@playhead/sdk'

export function createPluginConsole(log: Logger): Console {
  let made: Console | undefined
  return new Proxy({} as Console, { get: (_, name) => Reflect.get((made ??= create(log)), name) as unknown })
}

function create(log: Logger): Console {
  const into = (level: 'info' | 'warn') =>
    new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        log[level](text.replace(/\n$/, ''))
        done()
      },
    })
  return Object.assign(new Console({ stdout: into('info'), stderr: into('warn'), colorMode: false }), {
    debug: (...said: unknown[]) => log.debug(format(...said)),
    error: (...said: unknown[]) => log.error(format(...said)),
  })
}
