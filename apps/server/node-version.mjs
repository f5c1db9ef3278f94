/**
 * Why this Node cannot run the server; `null` when it can. Read by old versions of Node, and before anything is built.
 * @param {string} version
 * @returns {string | null}
 */
export function nodeProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  return isNewEnough
    ? null
    : `This is Node ${version}, and Callkite needs Node 20.19 or newer (of 22: 22.12): install a newer one from https://nodejs.org and start again.`;
}
