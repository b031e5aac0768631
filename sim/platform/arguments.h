// SPDX-License-Identifier: Apache-2.0
// Checks of the arguments of the C interface. Each throws Failure(EINVAL).
#ifndef BOMBUS_ARGUMENTS_H_
#define BOMBUS_ARGUMENTS_H_

#include <string>

#include "bombus_sim.h"

namespace bombus {

struct Pin;
class StreamPort;

[[noreturn]] void refuse(const std::string& text);

void check_pointer(const void* pointer, const char* name);
void check_probability(double value, const char* name);
void check_options(const bombus_options& options);
void check_impairment(const bombus_impairment& parameters);
void check_line_rate(double bits_per_second);
void check_direction(int direction);
void check_register(uint32_t address);
void check_counters(uint32_t address, uint32_t count);
void check_frame(const uint8_t* data, size_t length, uint32_t flags);
void check_pin(const Pin& pin, const uint8_t* data, size_t length);
void check_message(const StreamPort& stream, const uint8_t* data, size_t length,
                   const uint8_t* user, size_t user_length);
void check_beat_link(const bombus_beat_link_options& options);
void check_exchange(const bombus_exchange_request& request);

}  // namespace bombus
#endif
