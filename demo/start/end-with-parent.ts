/**
 * Loaded into each process that the start script starts (`--import`): when the start script is gone without a word, killed
 * for instance, the process ends as if it had been asked to. The relay itself need not know of this.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// A listener holds the channel open; without this a process with nothing left to do would not end.
process.channel?.unref();
