// Blocks link-local and cloud metadata addresses, which expose the machine's credentials, and for some accounts all
// private addresses. Names are checked after resolution, when connecting, which prevents DNS rebinding.
import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { addressReach, PlayheadError } from '@playhead/sdk'

// Metadata services outside of the link-local ranges.
const metadata = new BlockList()
metadata.addAddress('fd00:ec2::254', 'ipv6')
metadata.addAddress('fd20:ce::254', 'ipv6')

/** True for a blocked IP address (with or without brackets), in any notation or embedding; false for names. */
export function isBlockedAddress(hostname: string): boolean {
  const reach = addressReach(hostname)
  if (reach === undefined || reach === 'public') return false
  const address = hostname.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  return reach === 'link_local' || metadata.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function blockedAddress(hostname: string): PlayheadError {
  return new PlayheadError(
    'PLH_HOST_DENIED',
    `${hostname} is a link-local address, which is never contacted. Use the server's address in the network.`,
  )
}

/** Why an address is blocked; undefined if it may be contacted, and for names. */
export function refusalOf(address: string, hostname: string, publicOnly: boolean): PlayheadError | undefined {
  if (isBlockedAddress(address)) return blockedAddress(hostname)
  const reach = publicOnly ? addressReach(address) : undefined
  if (reach === undefined || reach === 'public') return undefined
  return new PlayheadError('PLH_HOST_DENIED', `${hostname} leads into the own network, which is not allowed here.`, {
    wire: 'private_address',
  })
}

/** A resolver that rejects names with a blocked address among their results. */
export function guardLookup(lookup: LookupFunction | undefined, publicOnly: boolean): LookupFunction {
  const resolve = lookup ?? (systemLookup as LookupFunction)
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const addresses = Array.isArray(found) ? found : []
      for (const { address } of addresses) {
        const refusal = refusalOf(address, hostname, publicOnly)
        if (refusal !== undefined) return callback(refusal, [])
      }
      if (options.all === true) return callback(null, addresses)
      const [first] = addresses
      if (first === undefined)
        return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }), [])
      callback(null, first.address, first.family)
    })
  }
}
