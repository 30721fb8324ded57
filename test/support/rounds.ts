/** How often each kill is tried: a few times in every run of the tests, as often as `SOAK_ROUNDS` says in `npm run soak`. */
export const ROUNDS = Number(process.env.SOAK_ROUNDS ?? 3);
