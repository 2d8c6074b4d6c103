/**
 * Lets one run install at a time: it holds the lock file, and the others wait for it. A lock whose holder is gone, or has not
 * touched it for half a minute, is taken over. It lies outside node_modules, which `npm ci` empties.
 */
import { mkdirSync, readFileSync, rmdirSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const TOUCH_MS = 5_000
const STALE_MS = 30_000
const ASK_AGAIN_MS = 250

/**
 * Waits until this process holds the lock.
 * @param {string} path
 * @param {string} what it is for, as others who wait for it are told
 * @returns {Promise<{ release(): void }>}
 */
export async function holdInstallLock(path, what = 'installing the packages') {
  mkdirSync(dirname(path), { recursive: true })
  let told = false
  while (!tryToTake(path)) {
    if (removeWhenStale(path)) continue
    if (!told) console.error(`Another run is ${what} (process ${holderOf(path)?.pid}); waiting for it.`)
    told = true
    await pause(ASK_AGAIN_MS)
  }
  const touching = setInterval(() => ignoreAbsence(() => utimesSync(path, new Date(), new Date())), TOUCH_MS)
  return {
    release() {
      clearInterval(touching)
      if (isOurs(holderOf(path))) ignoreAbsence(() => unlinkSync(path))
    },
  }
}

function tryToTake(path) {
  try {
    writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

/** Looking and removing happen under a lock of their own, so that nobody removes the one a faster waiter just took. */
function removeWhenStale(path) {
  if (!isStale(path)) return false
  const guard = `${path}.removal`
  try {
    mkdirSync(guard)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (ageOf(guard) > STALE_MS) ignoreAbsence(() => rmdirSync(guard)) // its maker died in the few microseconds below
    return false
  }
  try {
    if (!isStale(path)) return false
    ignoreAbsence(() => unlinkSync(path))
    return true
  } finally {
    ignoreAbsence(() => rmdirSync(guard))
  }
}

function isStale(path) {
  const age = ageOf(path)
  if (age === undefined) return false
  const holder = holderOf(path)
  // Taken but not yet written: give its holder the time to write.
  if (!holder) return age > STALE_MS
  return age > STALE_MS || (holder.host === hostname() && !isAlive(holder.pid))
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM' // alive, and another user's
  }
}

const isOurs = (holder) => holder?.pid === process.pid && holder.host === hostname()

function holderOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined // released, or taken and not yet written
  }
}

function ageOf(path) {
  return ignoreAbsence(() => Date.now() - statSync(path).mtimeMs)
}

function ignoreAbsence(act) {
  try {
    return act()
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return undefined
  }
}
