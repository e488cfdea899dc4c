// Preloaded into processes that examine plugins: connections lead to this machine only. JavaScript without other modules,
// because each thread loads it, too. Not a sandbox against code that means harm.
import dgram from 'node:dgram'
import net from 'node:net'

const OWN = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\]|::ffff:127(?:\.\d{1,3}){3})$/i

/** @param {unknown} host */
function refuse(host) {
  return Object.assign(new Error(`The network is not there while a plugin is examined (${String(host)}).`), {
    code: 'ENETUNREACH',
  })
}

const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = /** @type {any} */ (
  /** @this {net.Socket} @param {any[]} given */
  function connectHere(...given) {
    const [first, second] = Array.isArray(given[0]) ? given[0] : given
    const options =
      typeof first === 'object' && first !== null
        ? first
        : Number.isNaN(Number(first))
          ? { path: first }
          : { port: first, host: typeof second === 'string' ? second : undefined }
    if (options.path == null && !OWN.test(options.host ?? 'localhost')) {
      process.nextTick(() => this.destroy(refuse(options.host)))
      return this
    }
    return Reflect.apply(connect, this, given)
  }
)

dgram.Socket.prototype.send = function send() {
  throw refuse('a datagram')
}
