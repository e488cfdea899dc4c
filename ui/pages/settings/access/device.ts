// Browser and system from the user agent.
import { settings } from '../../../texts/en/settings.ts'
import { say } from '../../../texts/say.ts'

const BROWSERS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Edge', /Edg(?:e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /(?:Firefox|FxiOS)\//],
  ['Chrome', /(?:Chrome|CriOS|Chromium)\//],
  ['Safari', /Safari\//],
]
const SYSTEMS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
]

export function deviceName(userAgent: string): string {
  const browser = BROWSERS.find(([, sign]) => sign.test(userAgent))?.[0]
  const system = SYSTEMS.find(([, sign]) => sign.test(userAgent))?.[0]
  if (browser !== undefined && system !== undefined) return say(settings.sessions.device, { browser, system })
  return browser ?? system ?? (userAgent.split(/[/ ]/)[0] || settings.sessions.unknownDevice)
}

export function isHandheld(userAgent: string): boolean {
  return /Mobile|Android|iPhone|iPad/.test(userAgent)
}
