// Decides whether a request names this service as its host.
import ipaddr from 'ipaddr.js'

/**
 * Protects against DNS rebinding: attacker.example could resolve to this machine. IP addresses, names without a dot and
 * reserved domains cannot be used for that.
 */
export function isOwnHost(host: string, allowedHosts: readonly string[]): boolean {
  if (host === '') return true
  const name = /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase().replace(/\.$/, '')
  if (name === undefined) return false
  if (
    name.startsWith('[') ||
    ipaddr.IPv4.isValidFourPartDecimal(name) ||
    !name.includes('.') ||
    RESERVED_DOMAIN.test(name)
  )
    return true
  return allowedHosts.some((allowed) => (allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed))
}

// Domains that cannot be registered publicly.
const RESERVED_DOMAIN = /\.(localhost|local|internal|home\.arpa)$/
