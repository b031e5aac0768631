// SPDX-License-Identifier: Apache-2.0
// Many frames in, many frames out, at full simulation speed.
#ifndef BOMBUS_EXCHANGE_H_
#define BOMBUS_EXCHANGE_H_

#include "bombus_sim.h"
#include "simulator.h"

namespace bombus {

// 0, -ENOSPC or -ETIMEDOUT; see bombus_exchange().
int exchange(Simulator& simulator, bombus_exchange_request& request);

}  // namespace bombus
#endif
