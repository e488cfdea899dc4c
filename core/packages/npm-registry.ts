// Reads packages from an npm registry: the list of versions, and the tarball of one, checked against its sha512.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import gtr from 'semver/ranges/gtr.js'
import satisfies from 'semver/functions/satisfies.js'
import rcompare from 'semver/functions/rcompare.js'
import valid from 'semver/functions/valid.js'
import validRange from 'semver/ranges/valid.js'
import { PlayheadError, SDK_VERSION } from '@playhead/sdk'

export const MAX_TARBALL_BYTES = 20 * 1024 * 1024
const MAX_PACKUMENT_BYTES = 8 * 1024 * 1024
const PACKUMENT_MS = 20_000
const TARBALL_MS = 120_000
const MAX_REDIRECTS = 3
/** Fewer fields than the full document: https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
const ABBREVIATED = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8'

const PackageVersion = Type.Object({
  name: Type.String(),
  version: Type.String(),
  deprecated: Type.Optional(Type.Union([Type.String(), Type.Boolean()])),
  peerDependencies: Type.Optional(Type.Record(Type.String(), Type.String())),
  dist: Type.Object({ tarball: Type.String(), integrity: Type.Optional(Type.String()) }),
})
type PackageVersion = Static<typeof PackageVersion>

const Packument = Type.Object({
  'dist-tags': Type.Record(Type.String(), Type.String()),
  versions: Type.Record(Type.String(), Type.Unknown()),
})

interface NpmSettings {
  /** Without a trailing slash. */
  readonly address: string
  /** Registries of scopes, for example `@me`. */
  readonly scopes: Readonly<Record<string, string>>
  /** Tokens by the start of the addresses that they are for: `//host/path/`. */
  readonly tokens: Readonly<Record<string, string>>
}

export interface NpmRegistry {
  /** The newest version in the range that fits this SDK. */
  choose(name: string, range: string): Promise<Chosen>
  /** True if the version is published; null if the registry cannot say. */
  has(name: string, version: string): Promise<boolean | null>
  /** The tarball, if it has the checksum in the registry. */
  download(version: PackageVersion): Promise<Buffer>
}

interface Chosen {
  readonly version: PackageVersion
  /** A newer version in the range that needs another SDK. */
  readonly passedOver: string | null
}

/** The name and range of `name`, `name@range`, `@scope/name@range`; null if it is not the name of a package. */
export function parseSpec(spec: string): { readonly name: string; readonly range: string } | null {
  const match = /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:@(.*))?$/.exec(spec)
  const [, name, range = 'latest'] = match ?? []
  if (name === undefined || name.length > 214 || range.trim() === '') return null
  return { name, range: range.trim() }
}

/** PLAYHEAD_NPM_REGISTRY, then .npmrc of the data directory, then the user's. */
export async function readNpmSettings(
  dataDirectory: string,
  variables: Readonly<Record<string, string | undefined>>,
  home = homedir(),
): Promise<NpmSettings> {
  const files = [join(home, '.npmrc'), join(dataDirectory, '.npmrc')]
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  const found = Object.assign({}, ...texts.map((text) => linesOf(text, variables))) as Record<string, string>
  const named = variables['PLAYHEAD_NPM_REGISTRY']?.trim()
  const address = named === undefined || named === '' ? found['registry'] : named
  const entries = Object.entries(found)
  const of = (ending: string) =>
    entries
      .filter(([key]) => key.endsWith(ending))
      .map(([key, value]) => [key.slice(0, -ending.length), value] as const)
  return {
    address: checkedAddress(address ?? 'https://registry.npmjs.org'),
    scopes: Object.fromEntries(of(':registry').map(([scope, value]) => [scope, checkedAddress(value)])),
    tokens: Object.fromEntries(of(':_authToken')),
  }
}

function linesOf(text: string, variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const lines = text.split(/\r?\n/).map((line) => /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line))
  return Object.fromEntries(
    lines.flatMap((match) =>
      match === null
        ? []
        : [
            [
              match[1] as string,
              (match[2] as string)
                .replace(/^"(.*)"$/, '$1')
                .replace(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole),
            ],
          ],
    ),
  )
}

function checkedAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new PlayheadError('PLH_INVALID', 'The npm registry address must start with http:// or https://.', {
      wire: 'registry_address_invalid',
    })
  return url.href.replace(/\/+$/, '')
}

interface NpmRegistryOptions {
  readonly settings: NpmSettings
  readonly packumentMs?: number
  readonly tarballMs?: number
}

export function createNpmRegistry({
  settings,
  packumentMs = PACKUMENT_MS,
  tarballMs = TARBALL_MS,
}: NpmRegistryOptions): NpmRegistry {
  const addressOf = (name: string) =>
    (name.startsWith('@') ? settings.scopes[name.slice(0, name.indexOf('/'))] : undefined) ?? settings.address

  /** The most specific token for the address. */
  function authorization(url: URL): Record<string, string> {
    const place = `//${url.host}${url.pathname}`
    const [token] = Object.entries(settings.tokens)
      .filter(([start]) => place.startsWith(start.endsWith('/') ? start : `${start}/`))
      .sort(([a], [b]) => b.length - a.length)
      .map(([, value]) => value)
    return token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  async function get(address: string, accept: string, maxBytes: number, limitMs: number): Promise<Buffer> {
    const signal = AbortSignal.timeout(limitMs)
    const home = new URL(address)
    let url = home
    try {
      for (let hop = 0; ; hop += 1) {
        const answer = await fetch(url, { redirect: 'manual', signal, headers: { accept, ...authorization(url) } })
        const to = answer.headers.get('location')
        if (answer.status >= 300 && answer.status < 400 && to !== null) {
          await answer.body?.cancel()
          const next = new URL(to, url)
          if (hop >= MAX_REDIRECTS || (next.protocol !== 'https:' && next.origin !== home.origin))
            throw refused(
              `The npm registry ${home.host} redirects to ${next.protocol}//${next.host}, which is not followed.`,
            )
          url = next
          continue
        }
        if (answer.status !== 200) {
          await answer.body?.cancel()
          throw statusError(answer.status, home)
        }
        return await readUpTo(answer, maxBytes, home)
      }
    } catch (error) {
      if (error instanceof PlayheadError) throw error
      if (signal.aborted)
        throw new PlayheadError(
          'PLH_UPSTREAM_TIMEOUT',
          `The npm registry ${home.host} did not answer within ${limitMs / 1000} s.`,
          { wire: 'registry_timeout', cause: error },
        )
      throw new PlayheadError('PLH_UPSTREAM', `The npm registry ${home.host} cannot be reached: ${reasonOf(error)}.`, {
        wire: 'registry_unreachable',
        cause: error,
      })
    }
  }

  async function packument(name: string): Promise<Static<typeof Packument>> {
    const registry = addressOf(name)
    const bytes = await get(
      `${registry}/${name.replace('/', '%2f')}`,
      ABBREVIATED,
      MAX_PACKUMENT_BYTES,
      packumentMs,
    ).catch((error: unknown) => {
      if (error instanceof PlayheadError && error.wire === 'package_unknown')
        throw new PlayheadError(
          'PLH_NOT_FOUND',
          `There is no package "${name}" in the npm registry ${new URL(registry).host}.`,
          { wire: 'package_unknown' },
        )
      throw error
    })
    let found: unknown
    try {
      found = JSON.parse(bytes.toString('utf8'))
    } catch {
      found = null
    }
    if (!Value.Check(Packument, found))
      throw new PlayheadError('PLH_UPSTREAM_INVALID', `The npm registry does not describe "${name}" as a package.`, {
        wire: 'registry_invalid',
      })
    return found
  }

  function versionOf(name: string, value: unknown): PackageVersion | null {
    return Value.Check(PackageVersion, value) && value.name === name && valid(value.version) !== null ? value : null
  }

  return {
    async choose(name, range) {
      const found = await packument(name)
      const tagged = Object.hasOwn(found['dist-tags'], range) ? found['dist-tags'][range] : undefined
      const wanted = tagged ?? range
      if (validRange(wanted) === null)
        throw new PlayheadError('PLH_NOT_FOUND', `"${range}" is neither a version nor a tag of ${name}.`, {
          wire: 'version_unknown',
        })
      // A tag means: that version or, if it needs another SDK, an earlier one.
      const fits = (version: string) =>
        tagged === undefined
          ? satisfies(version, wanted)
          : version === tagged || (!version.includes('-') && rcompare(version, tagged) > 0)
      const candidates = Object.keys(found.versions)
        .filter((version) => valid(version) !== null && fits(version))
        .sort(rcompare)
        .flatMap((version) => versionOf(name, found.versions[version]) ?? [])
      const newest = candidates[0]
      if (newest === undefined) {
        const known = Object.keys(found.versions).sort(rcompare).slice(0, 5).join(', ') || 'none'
        throw new PlayheadError('PLH_NOT_FOUND', `${name} has no version ${range}. Its newest: ${known}.`, {
          wire: 'version_unknown',
        })
      }
      const version = candidates.find((candidate) => fitsSdk(candidate))
      if (version === undefined) throw otherSdk(newest)
      return { version, passedOver: version === newest ? null : newest.version }
    },

    async has(name, version) {
      try {
        return Object.hasOwn((await packument(name)).versions, version)
      } catch (error) {
        return error instanceof PlayheadError && error.wire === 'package_unknown' ? false : null
      }
    },

    async download({ name, version, dist }) {
      const registry = new URL(addressOf(name))
      if (!URL.canParse(dist.tarball) || new URL(dist.tarball).origin !== registry.origin)
        throw refused(`The npm registry ${registry.host} keeps ${name} ${version} elsewhere, which is not followed.`)
      const promised = sha512In(dist.integrity)
      if (promised === null)
        throw new PlayheadError(
          'PLH_PLUGIN_INTEGRITY',
          `The npm registry has no sha512 of ${name} ${version}; without one its bytes cannot be checked.`,
          { wire: 'package_integrity' },
        )
      const bytes = await get(dist.tarball, 'application/octet-stream', MAX_TARBALL_BYTES, tarballMs)
      const found = sha512Of(bytes)
      if (found !== promised)
        throw new PlayheadError(
          'PLH_PLUGIN_INTEGRITY',
          `The download of ${name} ${version} does not have the checksum of the npm registry (${promised}, found ${found}). Nothing was installed.`,
          { wire: 'package_integrity' },
        )
      return bytes
    },
  }
}

export function sha512Of(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`
}

function otherSdk({ name, version, peerDependencies }: PackageVersion): PlayheadError {
  const range = peerDependencies?.['@playhead/sdk'] ?? '*'
  return new PlayheadError(
    'PLH_PLUGIN_API_RANGE',
    `${name} ${version} needs SDK ${range}; this Playhead has ${SDK_VERSION}. Update ${isBehind(range) ? 'the plugin' : 'Playhead'}.`,
  )
}

function isBehind(range: string): boolean {
  return validRange(range) !== null && gtr(SDK_VERSION, range)
}

function fitsSdk({ peerDependencies }: PackageVersion): boolean {
  const range = peerDependencies?.['@playhead/sdk']
  return range === undefined || satisfies(SDK_VERSION, range)
}

function sha512In(integrity: string | undefined): string | null {
  return integrity?.split(/\s+/).find((part) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(part)) ?? null
}

async function readUpTo(answer: Response, maxBytes: number, { host }: URL): Promise<Buffer> {
  const tooLarge = () =>
    new PlayheadError(
      'PLH_INVALID',
      `What the npm registry ${host} sends is larger than ${Math.round(maxBytes / 1024 / 1024)} MB.`,
      { wire: 'package_too_large' },
    )
  if (Number(answer.headers.get('content-length') ?? 0) > maxBytes) {
    await answer.body?.cancel()
    throw tooLarge()
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function statusError(status: number, { host }: URL): PlayheadError {
  if (status === 404)
    return new PlayheadError('PLH_NOT_FOUND', `The npm registry ${host} does not have it.`, { wire: 'package_unknown' })
  if (status === 401 || status === 403)
    return new PlayheadError(
      'PLH_UPSTREAM',
      `The npm registry ${host} refuses (${status}). If it needs a token, put it into .npmrc of the data directory.`,
      { wire: 'registry_refused' },
    )
  return new PlayheadError('PLH_UPSTREAM', `The npm registry ${host} answers with ${status}.`, {
    wire: 'registry_failed',
  })
}

function refused(text: string): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM', text, { wire: 'registry_refused' })
}

function reasonOf(error: unknown): string {
  const cause = (error as { cause?: NodeJS.ErrnoException }).cause
  return cause?.code ?? (error as Error).message
}
