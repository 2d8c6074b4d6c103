/** Waits in the frame until something needs a proof, and only then loads the dialog, which brings passkeys along. */
import { lazy, Suspense, useEffect, useState } from 'react'
import { showProofWith } from '../data/proof.ts'
import { loadSurely } from '../data/load-surely.ts'

const ProofDialog = lazy(() =>
  loadSurely(() => import('../features/second-factor/proof-dialog.tsx')).then(({ ProofDialog: loaded }) => ({
    default: loaded,
  })),
)

export function ProofQuestion() {
  const [answer, setAnswer] = useState<(isProven: boolean) => void>()
  useEffect(() => showProofWith(() => new Promise<boolean>((resolve) => setAnswer(() => resolve))), [])
  if (answer === undefined) return null
  const end = (isProven: boolean) => {
    answer(isProven)
    setAnswer(undefined)
  }
  return (
    <Suspense fallback={null}>
      <ProofDialog onProven={() => end(true)} onClose={() => end(false)} />
    </Suspense>
  )
}
