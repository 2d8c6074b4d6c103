/** The part of the key tables that is in the address: the page shown, and whether the dialog for a new one is open. */
import { z } from 'zod'
import { useUrlState } from '../../data/url-state.ts'

const Page = z.object({ from: z.coerce.number().int().min(0).default(0) })
const Dialog = z.object({ make: z.enum(['yes', 'no']).default('no') })

export function usePage(): [number, (offset: number) => void] {
  const [{ from }, set] = useUrlState(Page)
  return [from, (offset) => set({ from: offset === 0 ? undefined : offset })]
}

/** Whether the dialog is open; open it, which the back button takes back; close it. */
export function useMaking(): [boolean, () => void, () => void] {
  const [{ make }, set] = useUrlState(Dialog)
  return [make === 'yes', () => set({ make: 'yes' }, 'push'), () => set({ make: undefined })]
}
