// Finds the core that core/build.ts made, if it belongs to the sources that are there. By content, never by time: a copy,
// a checkout and a container layer change times and keep contents. JavaScript without other modules, because it comes
// before everything else.
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** Below the folder of package.json. */
export const BUILT_FOLDER = 'dist'
/** Below it: what Node compiled of its files. */
export const CACHE_FOLDER = 'cache'
/** Written last. */
export const STAMP = 'built.json'
/** It has the versions of the packages. */
export const LOCK = 'package-lock.json'

const BUFFER = Buffer.allocUnsafeSlow(256 * 1024)

/**
 * @typedef {object} Stamp
 * @property {readonly string[]} sources by path below package.json
 * @property {string} sourcesHash
 * @property {readonly string[]} files by path below the folder of what was made
 * @property {string} filesHash
 */

/** @param {string} folder @param {readonly string[]} files @returns {string} */
export function hashOf(folder, files) {
  const hash = createHash('sha256')
  for (const file of files) {
    const descriptor = openSync(join(folder, file))
    try {
      hash.update(`${file}\n`)
      // One buffer for all: a start reads two thousand files.
      for (let length = BUFFER.length; length === BUFFER.length; ) {
        length = readSync(descriptor, BUFFER)
        hash.update(BUFFER.subarray(0, length))
      }
    } finally {
      closeSync(descriptor)
    }
  }
  return hash.digest('hex')
}

/** @param {string} root @returns {Stamp} */
export function readStamp(root) {
  return JSON.parse(readFileSync(join(root, BUILT_FOLDER, STAMP), 'utf8'))
}

/**
 * Its folder, or why there is none that can be used.
 *
 * @param {string} root the folder of package.json
 * @returns {{ readonly folder: string, readonly stamp: Stamp } | { readonly unusable: string }}
 */
export function findBuilt(root) {
  const folder = join(root, BUILT_FOLDER)
  if (!existsSync(join(folder, STAMP))) return { unusable: 'it was not made' }
  try {
    const stamp = readStamp(root)
    if (hashOf(root, stamp.sources) !== stamp.sourcesHash) return { unusable: 'its sources have changed' }
    if (hashOf(folder, stamp.files) !== stamp.filesHash) return { unusable: 'its files have changed' }
    return { folder, stamp }
  } catch (error) {
    return { unusable: `it cannot be read (${/** @type {Error} */ (error).message})` }
  }
}
