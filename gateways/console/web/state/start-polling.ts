/** Reads at once and at each interval, unless the read before is still under way. Returns what ends it. */
export const startPolling = (read: () => Promise<void>, intervalMs: number): () => void => {
  let isReading = false
  const poll = (): void => {
    if (isReading) return
    isReading = true
    void read().finally(() => isReading = false)
  }
  poll()
  const timer = setInterval(poll, intervalMs)
  return () => clearInterval(timer)
}
