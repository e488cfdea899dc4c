// Finds the update for this version in a list of releases, and sanitizes it.
import semver from 'semver'
import { Type, type Static } from '@playhead/sdk'

const Release = Type.Object({
  tag_name: Type.String(),
  name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  body: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  html_url: Type.Optional(Type.String()),
  published_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  draft: Type.Optional(Type.Boolean()),
  prerelease: Type.Optional(Type.Boolean()),
})

/** A list of releases, or a single one. */
export const ReleasesAnswer = Type.Union([Type.Array(Release), Release])

export interface Update {
  readonly version: string
  readonly name: string | null
  /** Plain text of the release notes. */
  readonly notes: string
  /** A web address, or empty. */
  readonly url: string
  /** ISO 8601 in UTC. */
  readonly publishedAt: string | null
}

/** The newest release for users of this version: previews only if this version is one. */
export function newestRelease(answer: Static<typeof ReleasesAnswer>, current: string): Update | null {
  const takesPreviews = (semver.parse(current)?.prerelease.length ?? 0) > 0
  const candidates = (Array.isArray(answer) ? answer : [answer]).flatMap((release) => {
    const version = semver.parse(release.tag_name.trim().replace(/^v/i, ''))
    if (version === null || release.draft === true) return []
    const isPreview = release.prerelease === true || version.prerelease.length > 0
    return isPreview && !takesPreviews ? [] : [{ release, version }]
  })
  const newest = candidates.sort((a, b) => semver.compareBuild(b.version, a.version))[0]
  if (newest === undefined) return null
  const { release, version } = newest
  return {
    version: version.version,
    name: release.name == null ? null : toPlainText(release.name).slice(0, 200),
    notes: toPlainText(release.body ?? '').slice(0, MAX_NOTES_LENGTH),
    url: toWebAddress(release.html_url ?? ''),
    publishedAt: toIsoTime(release.published_at ?? ''),
  }
}

/** True when `latest` comes after `current`; false when either is unknown. */
export function isNewer(latest: string | null, current: string): boolean {
  return latest !== null && isKnown(current) && semver.valid(latest) !== null && semver.gt(latest, current)
}

/** Builds without a version are 0.0.0. */
function isKnown(version: string): boolean {
  return semver.valid(version) !== null && version !== '0.0.0'
}

const MAX_NOTES_LENGTH = 20_000

// The notes are untrusted Markdown: no tags, no script links, no control characters, however they are rendered.
function toPlainText(markdown: string): string {
  return markdown
    .slice(0, MAX_NOTES_LENGTH * 4)
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/<(?=[a-z/!?])/gi, '')
    .replace(/\b(?:javascript|vbscript)\s*:|\bdata\s*:(?=\s*[a-z]+\/)/gi, '')
    .trim()
}

function toWebAddress(address: string): string {
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.password === '' ? url.href : ''
}

function toIsoTime(time: string): string | null {
  const atMs = Date.parse(time)
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString()
}
