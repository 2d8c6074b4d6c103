/** The settings in force and the state of the sandbox, over the admin interface (ledger S3-ADM-05): never a secret, only whether one is set. */
import { z } from 'zod'
import { operation, platform } from '../../admin/operation.ts'

export const listSettings = operation({
  id: 'listSettings',
  at: 'GET /api/v1/admin/settings',
  summary:
    'List the settings in effect and their sources (for secrets, only whether they are set), and how programs are confined.',
  needs: platform('stats_view_global'),
  answer: z.strictObject({
    settings: z.array(
      z.strictObject({
        name: z.string(),
        /** As text; null where it is not set, `***` where it is and nobody may see it. */
        value: z.string().nullable(),
        secret: z.boolean(),
        /** `default`, `environment`, or the file or preset that says it; null: it is not known. */
        origin: z.string().nullable(),
        about: z.string(),
      }),
    ),
    /** How programs that this gateway starts are confined. */
    sandbox: z.strictObject({
      policy: z.enum(['required', 'preferred', 'off']),
      driver: z.enum(['bubblewrap', 'process', 'docker', 'podman', 'kubernetes', 'none']),
      /** Names of the guarantees that hold. */
      guarantees: z.array(z.string()),
      /** Those that do not, each with its consequence. */
      missing: z.array(z.strictObject({ guarantee: z.string(), consequence: z.string() })),
      /** Why a better driver is not used. */
      reasons: z.array(z.string()),
      /** Why no program is started; null where programs are. */
      refusal: z.string().nullable(),
    }),
  }),
})
