/**
 * Parts of the console that are loaded when they are first needed, by a gateway that may be away just then: the page stays as it is,
 * and goes on by itself once the gateway answers. After a new version was installed the old parts are gone, and the page is loaded
 * anew, once.
 */

/** In this tab: when it was last loaded anew for a part that is gone. */
const RELOADED = 'toolway.reloaded'
/** Milliseconds: a second time within it would be a circle. */
const RELOAD_PAUSE_MS = 60_000
/** Milliseconds between two looks, doubled up to the second number. */
const LOOKS = [1_000, 5_000] as const
const PATIENCE_MS = 4_000

/** In the words of Chromium, Firefox and Safari, and of the build for styles. */
const NOT_LOADED = /dynamically imported module|importing a module script failed|unable to preload css/i

export async function loadSurely<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load()
    } catch (thrown) {
      if (!(thrown instanceof Error) || !NOT_LOADED.test(thrown.message)) throw thrown
      if (await answers()) await loadAnew(thrown)
      else await untilItAnswers()
    }
  }
}

let back: Promise<void> | undefined

/** However many parts wait, the gateway is asked once. */
export function untilItAnswers(): Promise<void> {
  back ??= waitForAnswer().finally(() => (back = undefined))
  return back
}

async function waitForAnswer(): Promise<void> {
  let wait: number = LOOKS[0]
  while (!(await answers())) {
    await new Promise((resolve) => setTimeout(resolve, wait))
    wait = Math.min(wait * 2, LOOKS[1])
  }
}

const answers = (): Promise<boolean> =>
  fetch('/health/live', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )

/** Never returns where the page is on its way out; throws where that was tried already. */
async function loadAnew(thrown: Error): Promise<void> {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0)
  if (Date.now() - last < RELOAD_PAUSE_MS) throw thrown
  sessionStorage.setItem(RELOADED, String(Date.now()))
  window.location.reload()
  await new Promise(() => {})
}
